"""The shipped puzzles, and what a solver of one may play.

`ttt/data/puzzles.txt` is a text file. Its first line names the format and has the SHA-256 of the
rest; then comes one puzzle per line, with tabs between the fields:

    ttt-puzzles 2 2f0c...e1
    2<TAB>3<TAB>5,1,9<TAB>tictactoe x../.../..o x

They are: the grade, from 1 (easy) to 5; the plies of the win from the position, at most; the
solution; the position as `Board.text()` writes it.

The solution is a line of moves: the winning move, the best defence, the winning move again and so
on. Each move of the solver is the only one that wins. The line ends with the game, or where several
moves win. Only its last move, if it ends the game, may be one of several that do.
"""

import hashlib
import os
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from ttt.board import Board
from ttt_core.errors import shorten

PATH = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data", "puzzles.txt")
FORMAT = "ttt-puzzles 2"
SHORTEST = (1, 3, 5, 7, 13)
"""The fewest plies of the wins of each grade, from grade 1."""
GRADES = len(SHORTEST)


class BadPuzzles(ValueError):
    """A puzzle file that is damaged, or a puzzle that is not one."""


def grade_of(plies: int) -> int:
    """The grade of a win in so many plies."""
    return sum(plies >= least for least in SHORTEST)


class Puzzle(NamedTuple):
    """A position with exactly one winning move."""

    grade: int
    """From 1 (easy) to GRADES."""
    plies: int
    """Plies of the win, at most."""
    line: tuple[str, ...]
    """The solution: the winning move, the best defence and so on; the solver has the last move."""
    position: str
    """As `Board.text()` writes it."""

    @property
    def game(self) -> str:
        return self.position.split()[0].partition(":")[0]

    @property
    def move(self) -> str:
        """The only winning move."""
        return self.line[0]

    @property
    def id(self) -> str:
        """A short name that stays the same when other puzzles are added."""
        return hashlib.sha256(self.position.encode()).hexdigest()[:8]

    def board(self) -> Board:
        """The position."""
        return Board.parse(self.position)


class Attempt(NamedTuple):
    """What became of the latest move of someone who solves a puzzle."""

    correct: bool
    """Whether it wins as the solution does."""
    solved: bool
    """Whether the solution ends with it."""
    reply: str | None
    """The answer of the defence, if the solution goes on."""
    board: Board
    """The position after the move and the reply."""


# --- files ---------------------------------------------------------------------------------------


def write_puzzles(puzzles: Iterable[Puzzle]) -> bytes:
    """The content of a puzzle file, in a fixed order."""
    lines = [
        f"{puzzle.grade}\t{puzzle.plies}\t{','.join(puzzle.line)}\t{puzzle.position}\n"
        for puzzle in sorted(puzzles, key=lambda puzzle: (puzzle.game, *puzzle))
    ]
    body = "".join(lines).encode()
    return f"{FORMAT} {hashlib.sha256(body).hexdigest()}\n".encode() + body


def parse_puzzles(content: bytes) -> list[Puzzle]:
    """The puzzles of a file, checked; raises BadPuzzles if it is damaged or one is impossible."""
    head, _, body = content.partition(b"\n")
    if head.decode(errors="replace") != f"{FORMAT} {hashlib.sha256(body).hexdigest()}":
        raise BadPuzzles("puzzles: wrong format or checksum")
    return [
        parse_puzzle(line, f"puzzles, line {number}")
        for number, line in enumerate(body.decode(errors="replace").splitlines(), 2)
    ]


def parse_puzzle(text: str, where: str) -> Puzzle:
    """The puzzle in a line of a file."""
    try:
        grade, plies, line, position = text.split("\t")
        moves = tuple(str(move) for move in Board.parse(position).parse_moves(line))
        found = Puzzle(int(grade), int(plies), moves, position)
        check_puzzle(found)
    except ValueError as error:
        raise BadPuzzles(f"{where}: {error}") from None
    return found


def check_puzzle(puzzle: Puzzle) -> None:
    """Raises unless the line can be played from the position and fits the plies and the grade.
    Whether it wins, and nothing else does, only a search can tell."""
    board = puzzle.board()
    if board.text() != puzzle.position:
        raise BadPuzzles(f"position {shorten(puzzle.position)}: write {board.text()}")
    if puzzle.plies % 2 == 0 or not len(puzzle.line) <= puzzle.plies <= len(board.marks):
        raise BadPuzzles(f"{puzzle.plies} plies do not fit a line of {len(puzzle.line)}")
    if puzzle.grade != grade_of(puzzle.plies):
        raise BadPuzzles(f"grade {puzzle.grade}: expected {grade_of(puzzle.plies)}")
    if len(puzzle.line) % 2 == 0:
        raise BadPuzzles("the line does not end with a move of the solver")
    side = board.turn
    board.push_moves(puzzle.line)
    outcome = board.outcome()
    if outcome is not None and outcome.winner != side:
        raise BadPuzzles(f"the line does not win for {side}")


@lru_cache(maxsize=1)
def shipped_puzzles() -> list[Puzzle]:
    """The puzzles of the package."""
    with open(PATH, "rb") as file:
        return parse_puzzles(file.read())


def find_shipped(identity: str) -> Puzzle:
    """The shipped puzzle with an `id`; raises ValueError if there is none."""
    for puzzle in shipped_puzzles():
        if puzzle.id == identity:
            return puzzle
    raise ValueError(f"unknown puzzle {shorten(identity)}")


# --- solving -------------------------------------------------------------------------------------


def attempt(puzzle: Puzzle, moves: Sequence[str]) -> Attempt:
    """Judges the latest of the moves that were played from the position, in turn by the solver and
    by the defence, the latter as `Attempt.reply` said.

    >>> fork = Puzzle(2, 3, ("5", "7", "8"), "tictactoe oxx/..o/... x")
    >>> attempt(fork, ["4"]).correct, attempt(fork, ["5"]).reply
    (False, '7')
    """
    board = puzzle.board()
    played = [str(board.parse_move(move)) for move in moves]
    at = len(played) - 1
    if len(played) % 2 == 0:
        raise ValueError("no move to judge: the latest move must be one of the solver")
    if at >= len(puzzle.line):
        raise ValueError(f"{len(played)} moves: the solution has {len(puzzle.line)}")
    if tuple(played[:at]) != puzzle.line[:at]:
        raise ValueError("the moves before the latest one are not those of the solution")
    side = board.turn
    board.push_moves(played)
    last = at == len(puzzle.line) - 1
    outcome = board.outcome()
    won = outcome is not None and outcome.winner == side
    correct = won or played[at] == puzzle.line[at]
    if not correct or last or won:
        return Attempt(correct, correct, None, board)
    reply = puzzle.line[at + 1]
    board.push(reply)
    return Attempt(True, False, reply, board)
