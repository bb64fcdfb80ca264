"""Slow and obvious rules of every game; the fast core is tested against them.

A position is a plain list of marks, one per cell in reading order, and each rule is a loop
over that list. Nothing is cached that can be computed again, and nothing here shares code
with the engine.

Cells are numbered in reading order: row by row from the top, level by level in qubic, small
board by small board in the nine-board games. A move is the number of its cell, except in
connect4, where it is the column.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import permutations, product
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self

Line = tuple[int, ...]
Outcome = tuple[str | None, str]

OTHER = {"x": "o", "o": "x"}


def lines_of(sizes: Sequence[int], k: int) -> list[Line]:
    """List the cells of every straight run of ``k`` on a grid of any number of dimensions.

    ``sizes`` names the longest stride first: (rows, columns) or (levels, rows, columns).
    """
    places = list(product(*(range(size) for size in sizes)))
    number = {place: cell for cell, place in enumerate(places)}
    steps = [step for step in product((-1, 0, 1), repeat=len(sizes)) if any(step)]
    found = set()
    for start, step in product(places, steps):
        run = [tuple(s + i * d for s, d in zip(start, step, strict=True)) for i in range(k)]
        if all(place in number for place in run):
            found.add(tuple(sorted(number[place] for place in run)))
    return sorted(found)


def completed(marks: Sequence[str], lines: Iterable[Line]) -> list[Line]:
    """Return the lines whose cells all bear the mark of one side."""
    begun = [line for line in lines if marks[line[0]] != "."]
    return [line for line in begun if all(marks[cell] == marks[line[0]] for cell in line)]


def grid_symmetries(rows: int, columns: int) -> list[list[int]]:
    """List the distinct flips of a grid, with its transpositions where it is square."""
    found: list[list[int]] = []
    for transpose in (False, True) if rows == columns else (False,):
        for flip_row, flip_column in product((False, True), repeat=2):
            permutation = []
            for row, column in product(range(rows), range(columns)):
                r = rows - 1 - row if flip_row else row
                c = columns - 1 - column if flip_column else column
                permutation.append(c * columns + r if transpose else r * columns + c)
            if permutation not in found:
                found.append(permutation)
    return found


@cache
def qubic_symmetries() -> tuple[Line, ...]:
    """Find the 192 permutations of the cube's cells that send each of its lines to a line.

    The coordinates on each axis are renamed, then the axes are permuted. Permuting the axes
    always keeps the lines, so only the renamings have to be tried against them.
    """
    places = list(product(range(4), repeat=3))
    number = {place: cell for cell, place in enumerate(places)}
    lines = lines_of((4, 4, 4), 4)
    known = set(lines)
    found: list[Line] = []
    for names in product(permutations(range(4)), repeat=3):
        renamed = [tuple(names[axis][place[axis]] for axis in range(3)) for place in places]
        cells = [number[place] for place in renamed]
        if not all(tuple(sorted(cells[cell] for cell in line)) in known for line in lines):
            continue
        for a, b, c in permutations(range(3)):
            found.append(tuple(number[place[a], place[b], place[c]] for place in renamed))
    assert len(found) == len(set(found)) == 192
    return tuple(found)


class Reference(ABC):
    """A position of one game, and the rules to play on from it.

    ``marks`` holds ".", "x" or "o" for each cell; ``turn`` is the side to move, and changes
    after the last move of a game too. ``board`` is the small board in force, None where there
    is none; ``owners`` has an entry for each small board in ultimate and is empty elsewhere.
    """

    def __init__(self, cells: int, lines: list[Line]) -> None:
        self.marks = ["."] * cells
        self.turn = "x"
        self.board: int | None = None
        self.owners: list[str] = []
        self.lines = lines

    @abstractmethod
    def symmetries(self) -> list[list[int]]:
        """List every symmetry as a permutation of the moves, the identity first."""

    def copy(self) -> Self:
        """Return a position that shares no state with this one."""
        twin = copy.copy(self)
        twin.marks = list(self.marks)
        twin.owners = list(self.owners)
        return twin

    def legal(self) -> list[int]:
        """List the legal moves in ascending order; a finished game has none."""
        return [] if self.outcome() else self._open()

    def play(self, move: int) -> None:
        """Make a move for the side to move; raise ValueError if it is illegal."""
        if move not in self.legal():
            raise ValueError(f"illegal move: {move}")
        self._put(move)

    def outcome(self) -> Outcome | None:
        """Return the winner, None if drawn, and how the game ended; None if it is running."""
        winner = self._winner()
        return (winner, "line") if winner else self._unwon()

    def winning_cells(self) -> list[int]:
        """List the cells of all the winner's lines."""
        return sorted({cell for line in completed(self.marks, self.lines) for cell in line})

    def wins(self, side: str) -> set[int]:
        """Find the moves that would win at once for ``side``, to move or not, on any board."""
        if self.outcome():
            return set()
        anywhere = self.copy()
        anywhere.turn = side
        anywhere.board = None
        return {m for m in anywhere._open() if anywhere._after(m).outcome() == (side, "line")}

    def perft(self, depth: int) -> int:
        """Count the move sequences of exactly ``depth`` plies."""
        if depth == 0:
            return 1
        return sum(self._after(move).perft(depth - 1) for move in self.legal())

    def value(self) -> int:
        """Return the result of perfect play for the side to move: 1, 0 or -1."""
        outcome = self.outcome()
        if outcome is None:
            return max(-self._after(move).value() for move in self._open())
        return {self.turn: 1, None: 0, OTHER[self.turn]: -1}[outcome[0]]

    def _open(self) -> list[int]:
        """List the moves into empty cells, even if the game is over."""
        return [cell for cell, mark in enumerate(self.marks) if mark == "."]

    def _put(self, move: int) -> None:
        """Make a move without checking that it is legal."""
        self.marks[move] = self.turn
        self.turn = OTHER[self.turn]

    def _after(self, move: int) -> Self:
        """Return the position a legal move leads to."""
        twin = self.copy()
        twin._put(move)
        return twin

    def _winner(self) -> str | None:
        """Return the side that has a line."""
        lines = completed(self.marks, self.lines)
        return self.marks[lines[0][0]] if lines else None

    def _unwon(self) -> Outcome | None:
        """Return the outcome of a game in which nobody has a line."""
        return None if self._open() else (None, "full")


class Mnk(Reference):
    """``k`` in a row on ``m`` columns and ``n`` rows."""

    def __init__(self, m: int = 3, n: int = 3, k: int = 3) -> None:
        if min(m, n, k) < 1 or m * n > 64 or k > max(m, n):
            raise ValueError(f"no such board: m={m}, n={n}, k={k}")
        super().__init__(m * n, lines_of((n, m), k))
        self.columns, self.rows = m, n

    def symmetries(self) -> list[list[int]]:
        return grid_symmetries(self.rows, self.columns)


class TicTacToe(Mnk):
    """Three in a row on three columns and three rows."""

    def __init__(self) -> None:
        super().__init__(3, 3, 3)


class Connect4(Reference):
    """``connect`` in a row, where a mark falls to the lowest empty cell of its column."""

    def __init__(self, columns: int = 7, rows: int = 6, connect: int = 4) -> None:
        fits = min(columns, rows, connect) >= 1 and connect <= max(columns, rows)
        if not fits or columns * (rows + 1) > 64:
            raise ValueError(f"no such board: {columns=}, {rows=}, {connect=}")
        super().__init__(columns * rows, lines_of((rows, columns), connect))
        self.columns = columns

    def symmetries(self) -> list[list[int]]:
        return grid_symmetries(1, self.columns)

    def _open(self) -> list[int]:
        return [column for column in range(self.columns) if self.marks[column] == "."]

    def _put(self, move: int) -> None:
        column = range(move, len(self.marks), self.columns)
        super()._put(max(cell for cell in column if self.marks[cell] == "."))


class Qubic(Reference):
    """Four in a line on four levels of four rows and four columns."""

    def __init__(self) -> None:
        super().__init__(64, lines_of((4, 4, 4), 4))

    def symmetries(self) -> list[list[int]]:
        return [list(permutation) for permutation in qubic_symmetries()]


class NineBoards(Reference):
    """Nine small boards of nine cells, where a mark in cell i sends the opponent to board i."""

    def __init__(self) -> None:
        self.rows = lines_of((3, 3), 3)
        lines = [tuple(9 * board + c for c in row) for board in range(9) for row in self.rows]
        super().__init__(81, lines)

    def symmetries(self) -> list[list[int]]:
        return [
            [9 * square[board] + square[cell] for board in range(9) for cell in range(9)]
            for square in grid_symmetries(3, 3)
        ]

    def _playable(self, board: int) -> bool:
        """Tell whether a mark may be put on a small board at all."""
        return "." in self.marks[9 * board : 9 * board + 9]

    def _open(self) -> list[int]:
        boards = [b for b in range(9) if self._playable(b) and self.board in (None, b)]
        return [cell for cell in super()._open() if cell // 9 in boards]

    def _put(self, move: int) -> None:
        super()._put(move)
        self.board = move % 9 if self._playable(move % 9) else None


class Nineboard(NineBoards):
    """Three in a row on any one of nine boards.

    A side sent to a full board moves on any other (``full="any"``), or the game is drawn at
    once (``full="draw"``): the full board then is the one in force.
    """

    def __init__(self, full: str = "any") -> None:
        if full not in ("any", "draw"):
            raise ValueError(f"no such option: {full=}")
        super().__init__()
        self.full = full

    def _put(self, move: int) -> None:
        super()._put(move)
        if self.full == "draw":
            self.board = move % 9

    def _unwon(self) -> Outcome | None:
        if self.board is not None and not self._playable(self.board):
            return None, "pointed"
        return super()._unwon()


class Ultimate(NineBoards):
    """Three small boards in a row, each owned by the side that first had a line on it.

    An owned board is closed to play (``won="closed"``) or open until it is full
    (``won="open"``). With no move left and no row of boards, the game is drawn
    (``tie="draw"``) or goes to the side that owns more boards (``tie="boards"``).
    """

    def __init__(self, tie: str = "draw", won: str = "closed") -> None:
        if tie not in ("draw", "boards") or won not in ("closed", "open"):
            raise ValueError(f"no such option: {tie=}, {won=}")
        super().__init__()
        self.owners = ["."] * 9
        self.tie, self.won = tie, won

    def winning_cells(self) -> list[int]:
        """List the cells of the winner's lines on the boards of its rows of boards."""
        boards = {board for row in completed(self.owners, self.rows) for board in row}
        cells = super().winning_cells()
        return [c for c in cells if c // 9 in boards and self.marks[c] == self.owners[c // 9]]

    def _playable(self, board: int) -> bool:
        closed = self.won == "closed" and self.owners[board] != "."
        return super()._playable(board) and not closed

    def _put(self, move: int) -> None:
        board, cell = divmod(move, 9)
        small = self.marks[9 * board : 9 * board + 9]
        small[cell] = self.turn
        if self.owners[board] == "." and completed(small, self.rows):
            self.owners[board] = self.turn
        super()._put(move)

    def _winner(self) -> str | None:
        rows = completed(self.owners, self.rows)
        return self.owners[rows[0][0]] if rows else None

    def _unwon(self) -> Outcome | None:
        outcome = super()._unwon()
        lead = self.owners.count("x") - self.owners.count("o")
        if outcome is None or self.tie == "draw" or lead == 0:
            return outcome
        return "x" if lead > 0 else "o", "boards"


REFERENCES: dict[str, type[Reference]] = {
    "tictactoe": TicTacToe,
    "mnk": Mnk,
    "nineboard": Nineboard,
    "ultimate": Ultimate,
    "qubic": Qubic,
    "connect4": Connect4,
}


def reference(game: str, **options: Any) -> Reference:
    """Return the start position of a game under the given options."""
    return REFERENCES[game](**options)
