"""Draws the pictures of the documentation; `make images` runs it.

    docs/images/<game>.svg     a position of each game, by Board.svg()
    docs/images/terminal.svg   a terminal: real output of `ttt`, run in a pseudo-terminal

`make bench` draws docs/images/speed.svg.
"""

import os
import pty
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import NamedTuple
from xml.sax.saxutils import escape

from ttt import Board

IMAGES = Path(__file__).parent / "images"
ULTIMATE = "14455227744772266222288991188661155776666554466884499223366773322443"
"""The moves of the pictured game of ultimate."""
POSITIONS: dict[str, tuple[dict[str, int], str]] = {
    "tictactoe": ({}, "5 2 1 3 9"),
    "mnk": ({"m": 7, "n": 7, "k": 5}, "d4 d5 e4 c4 e3 e5 c5 f2 e2"),
    "nineboard": ({}, "55 51 15 53 35 59 95"),
    "ultimate": ({}, ULTIMATE),
    "qubic": ({}, "111 144 222 233 444 322 333"),
    "connect4": ({}, "44443532655"),
}
"""The pictured positions: options and moves."""

SESSION = (
    ("play nineboard --as x --level 8 --games 1", ("55", "9", "quit")),
    ("analyse connect4 --moves 32164625 --all-moves", ()),
)
"""Commands of the terminal picture, and the lines typed into them."""
ROWS = 28
"""Lines of the terminal: the earlier ones have scrolled away."""
PAUSE = 1.0
"""Seconds to wait for the output before typing the next line."""

COLOURS = {"31": "#f87171", "33": "#fbbf24", "36": "#22d3ee"}
TEXT, DIM, BACKGROUND = "#e5e7eb", "#7d8590", "#0d1117"
SIZE, LEADING, MARGIN = 14, 19, 18
ADVANCE = 0.602 * SIZE  # the width of a character in the usual monospaced fonts
NO_BREAK = "\u00a0"
ESCAPE = re.compile(r"\x1b\[([\d;]*)m")
MODES = re.compile(r"\x1b\[\?\d+[hl]")  # of the terminal, set by readline
LIVE_LINE = re.compile(r"[^\n]*\r\x1b\[K")  # replaced by what follows
REDRAW = re.compile(r"\x1b\[(\d+)F\x1b\[J")  # cursor up by N lines; clear from here


class Piece(NamedTuple):
    """Adjacent characters of a line with the same style."""

    column: int
    text: str
    codes: frozenset[str]


def run(arguments: str, typed: tuple[str, ...], state: str) -> str:
    """What a terminal shows of a command, with the typed lines echoed; `state` is the folder of
    unfinished games."""
    ours, theirs = pty.openpty()
    environment = {
        **os.environ,
        "TERM": "xterm-256color",
        "COLUMNS": "80",
        "LC_ALL": "C.UTF-8",
        "XDG_STATE_HOME": state,
    }
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen(
        [sys.executable, "-m", "ttt", *arguments.split()],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
    )
    os.close(theirs)
    shown: list[bytes] = []
    reader = Thread(target=read_all, args=(ours, shown))
    reader.start()
    for line in typed:
        time.sleep(PAUSE)
        os.write(ours, f"{line}\n".encode())
    process.wait(timeout=60)
    reader.join()
    os.close(ours)
    text = MODES.sub("", b"".join(shown).decode()).replace("\r\n", "\n")
    return LIVE_LINE.sub("", text).rstrip("\n")


def read_all(terminal: int, shown: list[bytes]) -> None:
    """Reads a terminal until its program has ended, which is an error on Linux."""
    with suppress(OSError):
        while block := os.read(terminal, 4096):
            shown.append(block)


def screen(output: str) -> list[str]:
    """The lines that remain visible after tables have been redrawn in place."""
    first, *rest = REDRAW.split(output)
    lines = first.split("\n")
    for count, text in zip(rest[::2], rest[1::2], strict=True):
        lines[-int(count) - 1 :] = text.split("\n")
    return lines


def pieces(line: str) -> Iterator[Piece]:
    """A line with escape sequences, cut where the style changes."""
    column, codes = 0, frozenset[str]()
    for i, part in enumerate(ESCAPE.split(line)):
        if i % 2:
            codes = frozenset(part.split(";")) - {"", "0"}
        elif part:
            yield Piece(column, part, codes)
            column += len(part)


def text_element(piece: Piece, y: int) -> str:
    x = MARGIN + piece.column * ADVANCE
    width = len(piece.text) * ADVANCE
    colour = next((COLOURS[code] for code in piece.codes if code in COLOURS), TEXT)
    if "2" in piece.codes:
        colour = DIM
    found = ""
    if "7" in piece.codes:  # reverse video
        box = f'x="{x:.1f}" y="{y - SIZE}" width="{width:.1f}" height="{LEADING}"'
        found, colour = f'<rect {box} fill="{colour}"/>', BACKGROUND
    style = ' font-weight="bold"' if "1" in piece.codes else ""
    style += ' text-decoration="underline"' if "4" in piece.codes else ""
    found += f'<text x="{x:.1f}" y="{y}" textLength="{width:.1f}" fill="{colour}"{style}>'
    text = escape(piece.text).replace(" ", NO_BREAK)  # browsers collapse ordinary spaces
    return f"{found}{text}</text>"


def terminal(lines: list[str]) -> str:
    """The lines of a terminal as an SVG picture."""
    columns = max(len(ESCAPE.sub("", line)) for line in lines)
    width, height = 2 * MARGIN + columns * ADVANCE, 2 * MARGIN + len(lines) * LEADING
    rows = [
        text_element(piece, MARGIN + SIZE + i * LEADING)
        for i, line in enumerate(lines)
        for piece in pieces(line)
        if piece.text.strip() or "7" in piece.codes
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" '
            f'width="{width:.0f}" height="{height}" font-size="{SIZE}" '
            'font-family="ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace">',
            f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>',
            *rows,
            "</svg>\n",
        ]
    )


def board_pictures() -> dict[str, str]:
    """A picture of each game, by its name."""
    pictures = {}
    for game, (options, moves) in POSITIONS.items():
        board = Board(game, **options)
        board.push_moves(moves)
        pictures[game] = board.svg()
    return pictures


def main() -> None:
    for game, picture in board_pictures().items():
        (IMAGES / f"{game}.svg").write_text(picture, encoding="utf-8")
    lines = []
    for arguments, typed in SESSION:
        lines.append(f"\x1b[2m$\x1b[0m \x1b[1mttt {arguments}\x1b[0m")
        with TemporaryDirectory() as state:
            lines += screen(run(arguments, typed, state))
    (IMAGES / "terminal.svg").write_text(terminal(lines[-ROWS:]), encoding="utf-8")


if __name__ == "__main__":
    main()
