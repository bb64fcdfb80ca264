"""Reading files that users name: only regular files, and only up to a size.

A device or a pipe would block or never end, and a huge file would fill the memory. All of them are
refused before anything is read.
"""

import os
import stat
from typing import BinaryIO

from ttt_core.system import READ_FLAGS

MIB = 1 << 20
BLOCK = 1 << 16


def check_regular(path: str | os.PathLike[str], mode: int, doing: str) -> None:
    """Raises ValueError unless the mode of a file is that of a regular file. `doing`: read or
    write."""
    if not stat.S_ISREG(mode):
        what = "it is a folder" if stat.S_ISDIR(mode) else "not a regular file"
        raise ValueError(f"cannot {doing} {os.fsdecode(path)}: {what}")


def open_regular(path: str | os.PathLike[str], most: int | None = None) -> BinaryIO:
    """Opens a file for reading. Raises ValueError if it is not a regular file, or larger than
    `most` bytes; OSError if it cannot be opened."""
    check_regular(path, os.stat(path).st_mode, "read")
    file = open(os.open(path, READ_FLAGS), "rb")  # noqa: SIM115
    try:
        found = os.fstat(file.fileno())
        check_regular(path, found.st_mode, "read")
        if most is not None:
            check_size(path, found.st_size, most)
    except BaseException:
        file.close()
        raise
    return file


def check_size(path: str | os.PathLike[str], size: int, most: int) -> None:
    """Raises ValueError if a file is too large."""
    if size > most:
        raise ValueError(
            f"cannot read {os.fsdecode(path)}: too large: {size:,} bytes; expected at most {most:,}"
        )


def name_file(error: OSError, path: str) -> None:
    """Names the file that the user knows: a full disk names none, and the file that is written may
    have a temporary name."""
    if error.errno is not None:
        error.filename = path


def read_whole(path: str | os.PathLike[str], most: int) -> bytes:
    """The content of a regular file of at most `most` bytes."""
    with open_regular(path, most) as file:
        content = file.read(os.fstat(file.fileno()).st_size + 1)
        # The file may have grown since, and those of /proc claim to be empty.
        while len(content) <= most and (more := file.read(BLOCK)):
            content += more
    check_size(path, len(content), most)
    return content
