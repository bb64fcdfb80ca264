"""Whole files, written atomically: to a temporary name, then renamed.

The temporary file is `<name>.<random>.new`, locked by its writer. An unlocked one was left by a
killed process; the next process that writes or reads the file under this name removes it.

Where open files cannot be renamed (Windows), a temporary file counts as left behind after a minute,
and a `LockedFile` locks `<name>.lock` in place of the file.
"""

import os
import secrets
import stat
import time
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from glob import escape, glob
from typing import BinaryIO

from ttt.storage.reading import check_regular, check_size, name_file
from ttt_core.system import NEW_FLAGS, READ_FLAGS, can_rename_open_files, lock, replace

SUFFIX, LOCK_SUFFIX = ".new", ".lock"
LEFT_BEHIND = 60.0
"""Seconds; see above."""


def write_whole(path: str | os.PathLike[str], parts: Iterable[bytes]) -> None:
    """Writes a file and flushes it to disk. If anything raises, the old file stays as it was.

    A link stays a link, and the file keeps its permissions. Devices and pipes are refused.
    """
    try:
        _write(os.path.realpath(os.fsdecode(path)), parts).close()
    except OSError as error:
        name_file(error, os.fsdecode(path))  # not the temporary name, and a full disk has none
        raise


def _write(target: str, parts: Iterable[bytes]) -> BinaryIO:
    """Writes a file, which is still open and locked if it can be (`can_rename_open_files`)."""
    mode = _mode(target, target)
    sweep(target)
    descriptor, name = _create(target)
    file = open(descriptor, "wb")  # noqa: SIM115
    try:
        if mode is not None:
            os.chmod(name, mode)
        for part in parts:
            file.write(part)
        file.flush()
        os.fsync(file.fileno())
        if not can_rename_open_files():
            file.close()
        replace(name, target)  # while the file is locked, no sweep removes it
    except BaseException:
        with suppress(OSError):  # it flushes once more
            file.close()
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise
    return file


class LockedFile:
    """A whole file that only one process uses at a time, from reading to the last writing.

    A missing file is created, empty, to be locked; it goes if nothing is written.
    """

    lock_file: BinaryIO | None = None

    def __init__(self, path: str | os.PathLike[str]) -> None:
        check_target(path)
        self.path = os.fsdecode(path)
        self.target = os.path.realpath(self.path)
        sweep(self.target)
        try:
            self.file = self._open()
        except BlockingIOError:
            raise ValueError(f"cannot use {self.path}: another process is using it") from None

    def _open(self) -> BinaryIO:
        """The locked file. Tries again if its last user replaces or removes it before the lock."""
        with ExitStack() as opened:
            if not can_rename_open_files():
                self.lock_file = opened.enter_context(open(self.target + LOCK_SUFFIX, "ab"))
                lock(self.lock_file.fileno())
            while True:
                descriptor = os.open(self.target, READ_FLAGS | os.O_CREAT, 0o666)
                file = opened.enter_context(open(descriptor, "rb"))
                if self.lock_file is None:
                    lock(descriptor)
                with suppress(FileNotFoundError):
                    if os.path.samestat(os.stat(self.target), os.fstat(descriptor)):
                        check_regular(self.path, os.fstat(descriptor).st_mode, "read")
                        opened.pop_all()
                        return file
                file.close()

    def read(self, most: int) -> bytes:
        """The content; ValueError if it has more than `most` bytes."""
        check_size(self.path, os.fstat(self.file.fileno()).st_size, most)
        content = self.file.read(most + 1)
        check_size(self.path, len(content), most)
        return content

    def write(self, parts: Iterable[bytes]) -> None:
        """Replaces the content as `write_whole` does."""
        if self.lock_file is not None:
            self.file.close()
        try:
            written = _write(self.target, parts)
        except OSError as error:
            name_file(error, self.path)
            raise
        self.file.close()
        self.file = written

    def close(self) -> None:
        """Unlocks the file."""
        if self.lock_file is not None and not self.lock_file.closed:
            self.file.close()
            with suppress(OSError):
                if not os.stat(self.target).st_size:
                    os.unlink(self.target)
            self.lock_file.close()
            with suppress(OSError):  # its next user has it open
                os.unlink(self.target + LOCK_SUFFIX)
        elif not self.file.closed:
            with suppress(OSError):
                if not os.fstat(self.file.fileno()).st_size:
                    os.unlink(self.target)
        self.file.close()


def check_target(path: str | os.PathLike[str]) -> None:
    """Raises ValueError if no file can be written at `path`: called before the work starts."""
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    _mode(target, path)
    if not os.path.isdir(folder):
        raise ValueError(f"cannot write {os.fspath(path)}: no such folder: {folder}")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"cannot write {os.fspath(path)}: permission denied: {folder}")


def _mode(target: str, path: str | os.PathLike[str]) -> int | None:
    """The permissions of the file; None if there is none. ValueError if it is not a file."""
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return None
    except OSError as error:  # a loop of links, or no permission
        raise ValueError(f"cannot write {os.fsdecode(path)}: {error.strerror}") from None
    check_regular(path, mode, "write")
    return stat.S_IMODE(mode)


def sweep(path: str | os.PathLike[str]) -> None:
    """Removes the temporary files that killed processes left beside `path`."""
    for name in glob(f"{escape(os.fspath(path))}.????????{SUFFIX}"):
        with suppress(OSError):
            if not can_rename_open_files():
                if time.time() - os.stat(name).st_mtime > LEFT_BEHIND:
                    os.unlink(name)  # an error if it is open
                continue
            descriptor = os.open(name, os.O_RDONLY)
            try:
                lock(descriptor)
                os.unlink(name)
            finally:
                os.close(descriptor)


def _create(target: str) -> tuple[int, str]:
    """A new locked file beside the target. Tries again if a sweep removes it before the lock."""
    while True:
        name = f"{target}.{secrets.token_hex(4)}{SUFFIX}"
        descriptor = os.open(name, NEW_FLAGS, 0o666)
        with suppress(FileNotFoundError, BlockingIOError):
            lock(descriptor)
            if os.path.samestat(os.stat(name), os.fstat(descriptor)):
                return descriptor, name
        os.close(descriptor)
