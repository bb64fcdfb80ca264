"""Boards in a terminal: colours where there are any, the last move and the winning line marked."""

import os
import sys
from typing import TYPE_CHECKING

from ttt.render.text import Skin, text

if TYPE_CHECKING:
    from ttt.board import Board

COLOURS = {
    "x": "1;31",
    "o": "1;36",
    "number": "2",
    "force": "1;33",
    "last": "4",
    "line": "7",
}


def has_colour() -> bool:
    """Whether stderr is a terminal that shows colours, and the user has nothing against them."""
    return (
        sys.stderr.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM", "dumb") != "dumb"
    )


def has_lines() -> bool:
    """Whether stderr is a terminal that shows line-drawing characters."""
    return (
        sys.stderr.isatty()
        and os.environ.get("TERM", "dumb") != "dumb"
        and (sys.stderr.encoding or "").lower().replace("-", "") == "utf8"
    )


class Marked(Skin):
    """Marks the last move `(X)` and the winning line `*X*X*X*`."""

    def __init__(self, board: "Board", colour: bool, lines: bool) -> None:
        self.line = frozenset(board.line_cells())
        self.last = board.last_cell()
        self.colour = colour
        if lines:
            self.bar, self.rule, self.cross = "│", "─", "┼"

    def signs(self, cell: int) -> str:
        return "**" if cell in self.line else "()" if cell == self.last else ""

    def paint(self, piece: str, role: str, cell: int | None = None) -> str:
        codes = [COLOURS[role]] if role in COLOURS else []
        if cell is not None and cell in self.line:
            codes.append(COLOURS["line"])
        elif cell is not None and cell == self.last:
            codes.append(COLOURS["last"])
        if not self.colour or not codes or not piece.strip():
            return piece
        return f"\x1b[{';'.join(codes)}m{piece}\x1b[0m"


def draw(board: "Board", plain: bool = False) -> str:
    """The board for the terminal that stderr is; `plain`: ASCII without colours."""
    return text(board, Marked(board, not plain and has_colour(), not plain and has_lines()))
