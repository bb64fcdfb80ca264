"""Boards in a terminal: in colour if it supports that, with last move and winning line marked."""

import os
import sys
from shutil import get_terminal_size
from typing import TYPE_CHECKING, TextIO

from ttt.render.text import Frame, Style, text

if TYPE_CHECKING:
    from ttt.board import Board

COLOURS = {
    "x": "1;31",
    "o": "1;36",
    "frame": "1;33",
    "empty": "2",
}
UNDERLINED, INVERSE = "4", "7"
COERCED = ("C.UTF-8", "C.utf8", "UTF-8")
"""What Python itself sets LC_CTYPE to if the locale is C."""


def draw(board: "Board", ascii: bool = False, stream: TextIO | None = None) -> str:
    """The board for a stream, by default stderr; `ascii` draws it in plain ASCII without colours.
    No line is wider than the terminal."""
    stream = stream or sys.stderr
    return text(
        board,
        TerminalStyle(
            board,
            colour=not ascii and supports_colour(stream),
            line_drawing=not ascii and supports_line_drawing(stream),
        ),
        get_terminal_size().columns if stream.isatty() else None,
    )


def is_capable_terminal(stream: TextIO | None = None) -> bool:
    """Whether a stream, by default stderr, is a terminal that obeys escape sequences."""
    return (stream or sys.stderr).isatty() and os.environ.get("TERM", "dumb") != "dumb"


def supports_colour(stream: TextIO | None = None) -> bool:
    """Whether a stream is a terminal with colours, and NO_COLOR is not set."""
    return is_capable_terminal(stream) and not os.environ.get("NO_COLOR")


def supports_line_drawing(stream: TextIO | None = None) -> bool:
    """Whether a stream is a terminal that shows line-drawing characters."""
    encoding = (stream or sys.stderr).encoding or ""
    return is_capable_terminal(stream) and _is_utf8(encoding) and _locale_is_utf8()


def _is_utf8(encoding: str) -> bool:
    return encoding.lower().replace("-", "").endswith("utf8")


def _locale_is_utf8() -> bool:
    """Whether the locale's encoding is UTF-8, or no locale is set. Python's streams may use UTF-8
    in the locale C too."""
    settings = [os.environ.get(name, "") for name in ("LC_ALL", "LC_CTYPE", "LANG")]
    if settings[1] in COERCED and settings[2]:
        settings[1] = ""
    name = next(filter(None, settings), "UTF-8")
    return _is_utf8(name)


class TerminalStyle(Style):
    """Marks the last move `(X)` and the winning line `*X*X*X*`; with colours, underlines and
    inverts them too."""

    def __init__(self, board: "Board", colour: bool, line_drawing: bool) -> None:
        self.line = frozenset(board.line_cells())
        self.last = board.last_cell()
        self.colour = colour
        if line_drawing:
            self.bar, self.rule, self.empty = "│", "─", "·"
            self.frame = Frame("┌┬┐", "├┼┤", "└┴┘")

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
