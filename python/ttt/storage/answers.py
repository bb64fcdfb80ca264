"""The answers to many positions in a file, a line each; see `ttt solve --file`.

A line is what is printed without `--out`, and its CRC-32 as one more field: a damaged file is
refused.
"""

import fcntl
import json
import os
import re
import stat
import zlib

from ttt.board import Board
from ttt_core.errors import BadNotation

VALUES = ("win", "draw", "loss", "unknown")
ANSWER = re.compile(r"(win|loss)( in \d+)?|draw|unknown(, between .* so far)?|-?\d+")


class Answers:
    """The file of `--out`: a line for each position of `--file`, in order. What it holds already is
    compared with the positions; half a line at its end is the rest of a program that was killed.
    """

    def __init__(self, path: str, as_json: bool) -> None:
        self.path = path
        self.as_json = as_json
        self.file = open(path, "ab+", buffering=0)  # noqa: SIM115
        try:
            if not stat.S_ISREG(os.fstat(self.file.fileno()).st_mode):
                raise ValueError(f"{path} is no ordinary file: answers are read back from it")
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.file.seek(0)
            lines = self.file.read().split(b"\n")
            self.rest = lines.pop()
            self.lines = lines
        except BlockingIOError:
            self.file.close()
            raise ValueError(f"{path} is being written by another program") from None
        except BaseException:
            self.file.close()
            raise

    def check(self, number: int, board: Board) -> None:
        """Refuses a line that does not answer this position, or is damaged."""
        line = unsealed(self.lines[number].decode("utf-8", "replace"))
        if line is None or not (answers_json if self.as_json else answers)(line, board):
            raise BadNotation(
                f"{self.path}, line {number + 1}: no answer to position {number + 1}, or a damaged"
                " one; name another file, or delete it"
            )

    def cut(self) -> None:
        """Makes the end of the file ready for the next line."""
        if self.rest:
            self.file.truncate(sum(len(line) + 1 for line in self.lines))
            self.rest = b""

    def write(self, line: str) -> None:
        rest = sealed(line).encode() + b"\n"
        while rest:
            rest = rest[self.file.write(rest) :]


def sealed(line: str) -> str:
    """A line with its checksum."""
    checksum = f"{zlib.crc32(line.encode()):08x}"
    if line.startswith("{"):
        return f'{line[:-1]}, "crc": "{checksum}"}}'
    return f"{line}\t{checksum}"


def unsealed(line: str) -> str | None:
    """The line without its checksum; None if that does not fit."""
    if line.startswith("{"):
        rest = line.rpartition(', "crc": ')[0] + "}"
    else:
        rest = line.rpartition("\t")[0]
    return rest if sealed(rest) == line else None


def answers(line: str, board: Board) -> bool:
    """Whether a line can be the answer to a position."""
    position, *fields = line.split("\t")
    legal = {*board.legal_moves}
    return (
        position == board.text()
        and len(fields) == 2
        and ANSWER.fullmatch(fields[0]) is not None
        and (fields[1] == "-" or {*fields[1].split(",")} <= legal)
    )


def answers_json(line: str, board: Board) -> bool:
    """The same for a line of JSON."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return (
        isinstance(found, dict)
        and found.get("position") == board.text()
        and found.get("value") in VALUES
        and isinstance(found.get("best"), list)
        and {*map(str, found["best"])} <= {*board.legal_moves}
    )
