"""Steps through a game with keys, in a terminal."""

import os
import re
import shutil
import sys
from collections.abc import Iterator

from ttt.board import Board
from ttt.cli.common import fit
from ttt.render.terminal import draw, is_capable_terminal
from ttt_core.system import can_read_keys, has_input, single_keys

KEYS = {
    "next": ("n", " ", "\r", "\n", "\x1b[C", "\x1bOC"),
    "back": ("b", "p", "\x7f", "\x1b[D", "\x1bOD"),
    "first": ("f", "\x1b[A", "\x1bOA", "\x1b[H", "\x1bOH", "\x1b[1~"),
    "last": ("l", "\x1b[B", "\x1bOB", "\x1b[F", "\x1bOF", "\x1b[4~"),
    "quit": ("q", "\x04"),
}
"""Letters, arrow keys (right, left, up, down), Home and End."""
ACTIONS = {key: action for action, keys in KEYS.items() for key in keys}
HELP = "n next, b back, f first, l last, q quit; or the arrow keys"
KEY = re.compile(r"\x1b[\[O][0-9;]*[A-Za-z~]|[^\x1b]|\x1b")
PARTIAL = re.compile(r"\x1b(?:[\[O][0-9;]*)?$")
"""An escape sequence of which the rest has not been read yet."""
ENTER_SCREEN, LEAVE_SCREEN, CLEAR = "\x1b[?1049h", "\x1b[?1049l", "\x1b[H\x1b[2J"
RESIZE_POLL, ESCAPE_WAIT = 0.3, 0.05
"""Seconds between checks of the terminal's size, and to wait for the rest of a sequence."""


def can_step() -> bool:
    """Whether keys can be read and positions drawn over each other."""
    return can_read_keys() and is_capable_terminal(sys.stdout)


def step_through(title: str, boards: list[Board], notes: list[str], ascii: bool) -> None:
    """Shows one board at a time with its note, as the keys say; leaves the last one shown on the
    screen."""
    at = 0
    terminal = sys.stdin.fileno()
    with single_keys(terminal):
        try:
            print(ENTER_SCREEN, end="")
            show(title, boards[at], notes[at], ascii)
            for action in actions(terminal):
                if action == "quit":
                    break
                moved = {"next": at + 1, "back": at - 1, "first": 0, "last": len(boards) - 1}
                at = max(0, min(moved.get(action, at), len(boards) - 1))
                show(title, boards[at], notes[at], ascii)
        finally:
            print(LEAVE_SCREEN, end="", flush=True)
    print(f"{fit(title, sys.stdout)}\n{draw(boards[at], ascii, sys.stdout)}")
    print(fit(notes[at], sys.stdout))


def show(title: str, board: Board, note: str, ascii: bool) -> None:
    lines = [fit(title, sys.stdout), draw(board, ascii, sys.stdout), fit(note, sys.stdout), HELP]
    print(CLEAR + "\n".join(lines), flush=True)


def actions(terminal: int) -> Iterator[str]:
    """What the keys ask for, and "draw" when the size of the terminal has changed."""
    size = shutil.get_terminal_size()
    typed = ""
    while True:
        partial = PARTIAL.search(typed)
        if has_input(terminal, ESCAPE_WAIT if partial else RESIZE_POLL):
            block = os.read(terminal, 1024)
            if not block:
                yield "quit"
            typed += block.decode(errors="replace")
            if PARTIAL.search(typed):
                continue
        for key in KEY.findall(typed):
            if key in ACTIONS:
                yield ACTIONS[key]
        typed = ""
        if size != shutil.get_terminal_size():
            size = shutil.get_terminal_size()
            yield "draw"
