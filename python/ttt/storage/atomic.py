"""Whole files, written atomically: to a temporary name, then renamed.

The temporary file is `<name>.<random>.new`, locked by its writer. An unlocked one was left by a
killed process; the next process that writes or reads the file under this name removes it.
"""

import os
import secrets
import stat
from collections.abc import Iterable
from contextlib import suppress
from glob import escape, glob

from ttt.storage.locks import CAN_LOCK, lock

SUFFIX = ".new"


def write_whole(path: str | os.PathLike[str], parts: Iterable[bytes]) -> None:
    """Writes a file and flushes it to disk. If anything raises, the old file stays as it was.

    A link stays a link, and the file keeps its permissions. Devices and pipes are refused.
    """
    target = os.path.realpath(os.fsdecode(path))
    mode = _mode(target)
    sweep(target)
    descriptor, name = _create(target)
    try:
        with open(descriptor, "wb") as file:
            if mode is not None:
                os.chmod(name, mode)
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
            if CAN_LOCK:  # while the file is locked, no sweep removes it
                os.replace(name, target)
        if not CAN_LOCK:  # Windows cannot rename an open file
            os.replace(name, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise
    with suppress(OSError):
        folder = os.open(os.path.dirname(target) or ".", os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def check_target(path: str | os.PathLike[str]) -> None:
    """Raises ValueError if no file can be written at `path`: called before the work starts."""
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise ValueError(f"cannot write {os.fspath(path)}: no such folder: {folder}")
    if os.path.isdir(target):
        raise ValueError(f"cannot write {os.fspath(path)}: it is a folder")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"cannot write {os.fspath(path)}: permission denied: {folder}")
    _mode(target)


def _mode(target: str) -> int | None:
    """The permissions of the file; None if there is none. ValueError if it is not a file."""
    try:
        mode = os.stat(target).st_mode
    except OSError:
        return None
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # renaming to a folder fails by itself
        raise ValueError(f"cannot write {target}: not a regular file")
    return stat.S_IMODE(mode)


def sweep(path: str | os.PathLike[str]) -> None:
    """Removes the temporary files that killed processes left beside `path`."""
    for name in glob(f"{escape(os.fspath(path))}.????????{SUFFIX}"):
        with suppress(OSError):
            descriptor = os.open(name, os.O_RDONLY)
            try:
                lock(descriptor)
                os.unlink(name)
            finally:
                os.close(descriptor)


def _create(target: str) -> tuple[int, str]:
    """A new locked file beside the target. Tries again if a sweep removes it before the lock."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        name = f"{target}.{secrets.token_hex(4)}{SUFFIX}"
        descriptor = os.open(name, flags, 0o666)
        with suppress(FileNotFoundError, BlockingIOError):
            lock(descriptor)
            if os.path.samestat(os.stat(name), os.fstat(descriptor)):
                return descriptor, name
        os.close(descriptor)
