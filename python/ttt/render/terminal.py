"""Boards in a terminal: in colour if it supports that, with last move and winning line marked."""

import os
import sys
from typing import TYPE_CHECKING

from ttt.render.text import Style, text

if TYPE_CHECKING:
    from ttt.board import Board

COLOURS = {
    "x": "1;31",
    "o": "1;36",
    "number": "2",
    "frame": "1;33",
}
UNDERLINED, INVERSE = "4", "7"


def draw(board: "Board", ascii: bool = False) -> str:
    """The board for stderr; `ascii` draws it in plain ASCII without colours."""
    return text(
        board,
        TerminalStyle(
            board,
            colour=not ascii and supports_colour(),
            line_drawing=not ascii and supports_line_drawing(),
        ),
    )


def is_capable_terminal() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def supports_colour() -> bool:
    """Whether stderr is a terminal with colours, and NO_COLOR is not set."""
    return is_capable_terminal() and not os.environ.get("NO_COLOR")


def supports_line_drawing() -> bool:
    """Whether stderr is a terminal that shows line-drawing characters."""
    encoding = (sys.stderr.encoding or "").lower().replace("-", "")
    return is_capable_terminal() and encoding == "utf8"


class TerminalStyle(Style):
    """Marks the last move `(X)` and the winning line `*X*X*X*`; with colours, underlines and
    inverts them too."""

    def __init__(self, board: "Board", colour: bool, line_drawing: bool) -> None:
        self.line = frozenset(board.line_cells())
        self.last = board.last_cell()
        self.colour = colour
        if line_drawing:
            self.bar, self.rule, self.cross = "│", "─", "┼"

    def brackets(self, cell: int) -> str:
        return "**" if cell in self.line else "()" if cell == self.last else ""

    def paint(self, piece: str, role: str, cell: int | None = None) -> str:
        if not self.colour or not piece.strip():
            return piece
        codes = [COLOURS[role]] if role in COLOURS else []
        if cell in self.line:
            codes.append(INVERSE)
        elif cell is not None and cell == self.last:
            codes.append(UNDERLINED)
        return f"\x1b[{';'.join(codes)}m{piece}\x1b[0m" if codes else piece
