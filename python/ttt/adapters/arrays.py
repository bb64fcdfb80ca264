"""Positions as numpy arrays: what networks read, and pictures.

An observation has the shape (rows, columns, 2): the marks of the side to move, then those of the
other side, 1 where there is one. Several blocks (nine boards, four levels) are arranged as drawings
arrange them. Actions are the numbers of moves; a mask has a 1 for each legal one.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt.board import Board

CELL = 24
"""Pixels of a cell."""
PAPER, LINE, HEAVY = (250, 247, 240), (200, 195, 185), (120, 115, 105)
COLOURS = {"x": (42, 93, 176), "o": (214, 118, 28)}


class Grid:
    """Where the cells of a game are in an array."""

    def __init__(self, board: Board) -> None:
        width, height, blocks, across = board.layout
        self.block = height, width
        self.rows = height * ((blocks + across - 1) // across)
        self.columns = width * min(blocks, across)
        cells = np.arange(width * height * blocks)
        block, inside = np.divmod(cells, width * height)
        row = block // across * height + inside // width
        column = block % across * width + inside % width
        self.at = row * self.columns + column
        """The place of each cell in a flat array."""
        self.cells = len(cells)

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.rows, self.columns, 2

    def observation(self, marks: NDArray[np.int8], turn: NDArray[np.int8]) -> NDArray[np.int8]:
        """Observations of many positions: marks of 1 (x), -1 (o) and 0, (size, cells), and the
        sides to move, 1 or -1."""
        found = np.zeros((len(marks), self.rows * self.columns, 2), np.int8)
        mine = marks * turn[:, None]
        found[:, self.at, 0] = mine > 0
        found[:, self.at, 1] = mine < 0
        return found.reshape(len(marks), *self.shape)


def observation_of(board: Board, grid: Grid, side: str) -> NDArray[np.int8]:
    """A position as a side sees it."""
    values = {"x": 1, "o": -1, ".": 0}
    marks = np.array([[values[mark] for mark in board.marks]], np.int8)
    found = grid.observation(marks, np.array([values[side]], np.int8))
    return found.reshape(grid.shape)


def mask_of(board: Board) -> NDArray[np.int8]:
    """1 for each legal move."""
    found = np.zeros(len(board.ruleset.moves), np.int8)
    found[[move.number for move in board.legal_moves]] = 1
    return found


def picture(board: Board, grid: Grid) -> NDArray[np.uint8]:
    """A position as an RGB image: crosses and rings."""
    image = np.full((grid.rows * CELL + 1, grid.columns * CELL + 1, 3), PAPER, np.uint8)
    for axis, count, block in ((0, grid.rows, grid.block[0]), (1, grid.columns, grid.block[1])):
        for i in range(count + 1):
            line: Any = (slice(i * CELL, i * CELL + 1),)
            line = line if axis == 0 else (slice(None), *line)
            image[line] = HEAVY if i % block == 0 else LINE
    y, x = np.mgrid[0:CELL, 0:CELL] - (CELL - 1) / 2
    inside = np.maximum(abs(x), abs(y)) < CELL * 0.36
    radius = np.hypot(x, y)
    shapes = {
        "x": inside & (abs(abs(x) - abs(y)) < CELL * 0.1),
        "o": (radius < CELL * 0.38) & (radius > CELL * 0.25),
    }
    for cell, mark in enumerate(board.marks):
        if mark != ".":
            row, column = divmod(int(grid.at[cell]), grid.columns)
            top, left = row * CELL, column * CELL
            image[top : top + CELL, left : left + CELL][shapes[mark]] = COLOURS[mark]
    return image
