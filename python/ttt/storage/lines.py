"""Append-only text files of checksummed lines, for long jobs that are killed and resumed.

Each line ends with its seal, the CRC-32 of everything before the seal as eight hexadecimal digits:

    a line of text<TAB>2d27c0b3
    {"a": "JSON object","crc":"0914c881"}

A job appends a line for each finished piece of work. When it is started again, it opens the same
file, reads its lines and does the rest. A last line without a line end was torn
when its writer was killed: it does not count, and the next append replaces it. Any other line
whose checksum is wrong makes the whole file invalid.
"""

import os
import zlib
from types import TracebackType

from ttt.storage.reading import MIB, check_regular, check_size, name_file, read_whole
from ttt_core.system import can_rename_open_files, lock

JSON_SEAL = b',"crc":"'
PATIENCE = 2.0
"""Seconds to wait for a locked file: a process that a killed writer was just starting may hold the
lock for a moment."""
LARGEST = 1024 * MIB
"""Bytes. A larger file is refused before it is read."""


class DamagedFile(ValueError):
    """A file of another kind, or with a damaged line."""


def sealed(line: str) -> bytes:
    """A line with its checksum, without line end."""
    if line.startswith("{") and line.endswith("}"):
        body = line[:-1].encode()
        return body + JSON_SEAL + _checksum(body) + b'"}'
    body = line.encode()
    return body + b"\t" + _checksum(body)


def unsealed(data: bytes) -> str | None:
    """The line without its checksum; None if the checksum is missing or wrong."""
    is_json = data.startswith(b"{") and data.endswith(b'"}')
    body = data.rpartition(JSON_SEAL if is_json else b"\t")[0]
    try:
        line = body.decode() + "}" * is_json
    except UnicodeDecodeError:
        return None
    return line if sealed(line) == data else None


def _checksum(body: bytes) -> bytes:
    return b"%08x" % zlib.crc32(body)


def split_lines(path: str, content: bytes, start: str) -> tuple[list[str], int]:
    """The complete lines of a file's content without their seals, and their size in bytes.

    Raises DamagedFile if a checksum is wrong, or if the content does not begin with `start`.
    """
    head = start.encode()
    if content[: len(head)] != head[: len(content)]:
        raise DamagedFile(f"{path}: wrong kind of file: it does not begin with {start}")
    *whole, torn = content.split(b"\n")
    lines = []
    for number, data in enumerate(whole, 1):
        line = unsealed(data)
        if line is None:
            raise DamagedFile(f"{path}, line {number}: damaged: wrong checksum")
        lines.append(line)
    return lines, len(content) - len(torn)


def read_lines(path: str, start: str = "") -> list[str]:
    """The lines of a file, without locking it; a torn last line is left out."""
    return split_lines(path, read_whole(path, LARGEST), start)[0]


class LineFile:
    """A file of lines, locked and open for appending. `lines` are those found at the start.

    `start` is the text that every such file begins with; any other file is refused, so that none is
    overwritten by mistake. `new` refuses a file that exists (FileExistsError).
    `sync` flushes each line to disk: it then survives a power cut, not only a killed process.
    Nothing is written before the first `append`.
    """

    def __init__(
        self, path: str, start: str = "", *, new: bool = False, sync: bool = False
    ) -> None:
        self.path = path
        self.sync = sync
        try:
            if os.path.exists(path):  # before it is opened, which may have an effect on a device
                check_regular(path, os.stat(path).st_mode, "write")
            if new:
                open(path, "xb").close()
            self.file = open(path, "ab+", buffering=0)  # noqa: SIM115
        except FileExistsError:
            raise
        except OSError as error:
            raise ValueError(f"cannot write {path}: {error.strerror}") from None
        try:
            found = os.fstat(self.file.fileno())
            check_regular(path, found.st_mode, "write")
            check_size(path, found.st_size, LARGEST)
            lock(self.file.fileno(), PATIENCE)
            self.file.seek(0)
            content = self.file.read()
            self.lines, self.size = split_lines(path, content, start)
            self.torn = self.size < len(content)
        except BlockingIOError:
            self.close()
            raise ValueError(f"cannot write {path}: another process is writing it") from None
        except BaseException:
            self.close()
            raise

    def append(self, line: str) -> None:
        """Writes a line. It is not lost if the process is killed afterwards."""
        if "\n" in line:
            raise ValueError("a line must not contain a line break")
        if self.torn:  # by a killed process, or by an append that raised
            self.file.truncate(self.size)
        data = sealed(line) + b"\n"
        self.torn = True
        rest = data
        try:
            while rest:
                rest = rest[self.file.write(rest) :]
            if self.sync:
                os.fsync(self.file.fileno())
        except OSError as error:
            name_file(error, self.path)
            raise
        self.size += len(data)
        self.torn = False

    def close(self) -> None:
        self.file.close()

    def remove(self) -> None:
        """Removes the file, still locked where the system allows it, and closes it."""
        if not can_rename_open_files():
            self.close()
        try:
            os.unlink(self.path)
        finally:
            self.close()

    def __enter__(self) -> "LineFile":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
