"""Kaggle's ConnectX: `agent(observation, configuration)` returns the column to play, from 0.

A submission is a file with one line:

    from ttt.protocols.kaggle import agent

The engine plays every board that the game `connect4` supports: columns x (rows + 1) at most 64, and
at most 32 columns. On other boards the agent takes a column that wins at once; else one that stops
such a win; else, of those that do not let the opponent win at once on top, the one nearest to the
centre.
"""

from functools import lru_cache
from typing import Any

from ttt.board import Board
from ttt.engine import Engine

USED, OVERHEAD = 0.8, 0.1
"""The share of the time that is spent on thinking, after a fixed number of seconds is set aside."""
DEFAULT_SECONDS, LONGEST = 2.0, 3600.0


def agent(observation: Any, configuration: Any) -> int:
    """The column to play.

    `observation` has `board`, the cells in reading order as 0 (empty), 1 or 2, and `mark`, the
    agent's own number; `configuration` has `columns`, `rows`, `inarow` and `actTimeout`. Both may
    be dictionaries or objects with attributes.
    """
    try:
        columns, rows, connect = (
            int(_field(configuration, name)) for name in ("columns", "rows", "inarow")
        )
        cells = [int(cell) for cell in _field(observation, "board")]
        mark = int(_field(observation, "mark"))
        seconds = float(
            _field(configuration, "actTimeout", _field(configuration, "timeout", DEFAULT_SECONDS))
        )
    except (KeyError, AttributeError, TypeError, OverflowError) as error:
        raise ValueError(f"not an observation of ConnectX: {error}") from None
    if len(cells) != columns * rows or mark not in (1, 2) or not set(cells) <= {0, 1, 2}:
        raise ValueError(f"expected a board of {columns} x {rows} cells of 0, 1 or 2, and a mark")
    if connect < 1 or 0 not in cells[: max(columns, 0)]:
        raise ValueError("no column is free, or inarow is less than 1")
    engine = _engine(columns, rows, connect)
    if engine is None:
        return simple_move(cells, mark, columns, rows, connect)
    marks = "".join(".xo"[cell] for cell in cells)
    text = "/".join(marks[i : i + columns] for i in range(0, len(marks), columns))
    options = f"columns={columns},rows={rows},connect={connect}"
    try:
        board = Board.parse(f"connect4:{options} {text} {' xo'[mark]}")
    except ValueError:  # not a position of a game in which 1 moves first
        return simple_move(cells, mark, columns, rows, connect)
    if board.is_game_over():
        raise ValueError("the game is over")
    thinking = max(USED * (seconds - OVERHEAD), 0.1 * seconds, 0.005)
    return engine.play(board, time=min(thinking, LONGEST)).number


def _field(record: Any, name: str, *default: Any) -> Any:
    """A field of a dictionary or an object."""
    if isinstance(record, dict):
        return record.get(name, *default) if default else record[name]
    return getattr(record, name, *default)


@lru_cache(maxsize=4)
def _engine(columns: int, rows: int, connect: int) -> Engine | None:
    """The engine of a board, which keeps what it has learned between moves; None if the board is
    not supported."""
    try:
        return Engine("connect4", columns=columns, rows=rows, connect=connect)
    except ValueError:
        return None


def simple_move(cells: list[int], mark: int, columns: int, rows: int, connect: int) -> int:
    """The move on a board that the engine does not support."""
    grid = Grid(cells, columns, rows, connect)
    free = [column for column in range(columns) if cells[column] == 0]
    free.sort(key=lambda column: (abs(2 * column - columns + 1), column))
    for side in (mark, 3 - mark):
        for column in free:
            if grid.wins(column, grid.top(column), side):
                return column
    for column in free:
        if not grid.wins(column, grid.top(column) - 1, 3 - mark):
            return column
    return free[0]


class Grid:
    """The cells of a board of any size; row 0 is the top."""

    def __init__(self, cells: list[int], columns: int, rows: int, connect: int) -> None:
        self.cells = cells
        self.columns = columns
        self.rows = rows
        self.connect = connect

    def top(self, column: int) -> int:
        """The row of the lowest empty cell of a column."""
        return max(row for row in range(self.rows) if self.cells[row * self.columns + column] == 0)

    def wins(self, column: int, row: int, side: int) -> bool:
        """Whether a disc on this cell would complete a line; False above the board."""
        return row >= 0 and any(
            1 + self._run(column, row, x, y, side) + self._run(column, row, -x, -y, side)
            >= self.connect
            for x, y in ((1, 0), (0, 1), (1, 1), (1, -1))
        )

    def _run(self, column: int, row: int, x: int, y: int, side: int) -> int:
        """The number of discs of a side next to a cell, in one direction."""
        count = 0
        while count < self.connect:
            column, row = column + x, row + y
            inside = 0 <= column < self.columns and 0 <= row < self.rows
            if not inside or self.cells[row * self.columns + column] != side:
                break
            count += 1
        return count
