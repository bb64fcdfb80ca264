"""The shipped puzzles: positions with exactly one winning move.

`ttt/data/puzzles.txt` is a text file. Its first line names the format and has the SHA-256 of the
rest; then comes one puzzle per line, with tabs between the fields:

    ttt-puzzles 1 2f0c...e1
    1<TAB>3<TAB>6 4<TAB>nineboard ........./... o 6

They are: the grade, from 1 (easy) to 5; the plies of the win from the position, at most; the only
winning move; the position as `Board.text()` writes it.
"""

import hashlib
import os
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from ttt.board import Board
from ttt_core.errors import BadNotation

PATH = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data", "puzzles.txt")
FORMAT = "ttt-puzzles 1"
GRADES = 5


class Puzzle(NamedTuple):
    grade: int
    """From 1 (easy) to GRADES."""
    plies: int
    """Plies of the win, at most."""
    move: str
    """The only winning move."""
    position: str
    """As `Board.text()` writes it."""

    @property
    def game(self) -> str:
        return self.position.split()[0].partition(":")[0]

    @property
    def id(self) -> str:
        """A short name that stays the same when other puzzles are added."""
        return hashlib.sha256(self.position.encode()).hexdigest()[:8]


def write_puzzles(puzzles: Iterable[Puzzle]) -> bytes:
    """The content of a puzzle file, in a fixed order."""
    lines = [
        f"{puzzle.grade}\t{puzzle.plies}\t{puzzle.move}\t{puzzle.position}\n"
        for puzzle in sorted(puzzles, key=lambda puzzle: (puzzle.game, *puzzle))
    ]
    body = "".join(lines).encode()
    return f"{FORMAT} {hashlib.sha256(body).hexdigest()}\n".encode() + body


def parse_puzzles(content: bytes) -> list[Puzzle]:
    """The puzzles of a file; raises BadNotation if it is damaged."""
    head, _, body = content.partition(b"\n")
    if head.decode(errors="replace") != f"{FORMAT} {hashlib.sha256(body).hexdigest()}":
        raise BadNotation("puzzles: wrong format or checksum")
    found = []
    for line in body.decode().splitlines():
        grade, plies, move, position = line.split("\t")
        found.append(Puzzle(int(grade), int(plies), move, position))
    return found


@lru_cache(maxsize=1)
def shipped_puzzles() -> list[Puzzle]:
    """The puzzles of the package."""
    with open(PATH, "rb") as file:
        return parse_puzzles(file.read())


def check_puzzle(puzzle: Puzzle) -> None:
    """Raises unless the position is valid and running, and the move is legal there."""
    board = Board.parse(puzzle.position)
    if not 1 <= puzzle.grade <= GRADES or puzzle.plies < 1:
        raise BadNotation(f"{puzzle}: grade or plies out of range")
    board.push(puzzle.move)
