"""Files that are whole under their name, or not there: written apart, then put in place at once.

The file being written is `<name>.<random>.new`, locked by its writer. One that nobody has locked is
the rest of a program that was killed; whoever uses the name next removes it.
"""

import fcntl
import os
import secrets
from collections.abc import Iterable
from contextlib import suppress
from glob import escape, glob

SUFFIX = ".new"


def write_whole(path: str | os.PathLike[str], parts: Iterable[bytes]) -> None:
    """Writes a file; when this returns, it is on the disk. What raises leaves the old one."""
    target = os.fspath(path)
    sweep(target)
    descriptor, name = _begin(target)
    try:
        with open(descriptor, "wb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
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
    """Refuses a name under which no file can be written, before there is anything to write."""
    target = os.path.abspath(path)
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise ValueError(f"{os.fspath(path)} cannot be written: there is no folder {folder}")
    if os.path.isdir(target):
        raise ValueError(f"{os.fspath(path)} cannot be written: it is a folder")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"{os.fspath(path)} cannot be written: {folder} is not ours to write to")


def sweep(path: str | os.PathLike[str]) -> None:
    """Removes what killed programs left of this file."""
    for name in glob(f"{escape(os.fspath(path))}.????????{SUFFIX}"):
        with suppress(OSError):
            descriptor = os.open(name, os.O_RDONLY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(name)
            finally:
                os.close(descriptor)


def _begin(target: str) -> tuple[int, str]:
    """A new locked file beside the target. If a sweeper takes it before it is locked: another."""
    while True:
        name = f"{target}.{secrets.token_hex(4)}{SUFFIX}"
        descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with suppress(FileNotFoundError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.path.samestat(os.stat(name), os.fstat(descriptor)):
                return descriptor, name
        os.close(descriptor)
