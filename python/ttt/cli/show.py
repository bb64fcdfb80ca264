"""`ttt show`: a position as text, as an SVG picture or as JSON."""

import argparse
import re
import sys
from shutil import get_terminal_size
from typing import Any

from ttt.cli.common import Parents, add_json, fit, make_board, print_json
from ttt.render.terminal import draw


def add_parser(verbs: Any, parents: Parents) -> None:
    parser = verbs.add_parser(
        "show", parents=[parents.position, parents.options], help="draw a position"
    )
    form = parser.add_mutually_exclusive_group()
    add_json(form)
    form.add_argument("--svg", action="store_true", help="print an SVG picture to stdout")
    parser.add_argument("--ascii", action="store_true", help="plain ASCII without colours")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    board = make_board(arguments)
    if arguments.json:
        outcome = board.outcome()
        print_json(
            {
                "game": board.game,
                "options": board.options,
                "position": board.text(),
                "turn": board.turn,
                "ply": board.ply,
                "moves": board.moves,
                "legal": board.legal_moves,
                "outcome": outcome and outcome._asdict(),
            }
        )
    elif arguments.svg:
        print(board.svg(), end="")
    else:
        print(draw(board, arguments.ascii, sys.stdout))
        print(fit(board.status(), sys.stdout))
        print(fold_position(board.text()) if sys.stdout.isatty() else board.text())


def fold_position(text: str) -> str:
    """A position in lines that fit the terminal, broken after slashes; `--position` accepts it."""
    width = get_terminal_size().columns - 1
    lines = [""]
    for part in re.findall(r"[^/]*/?", text):
        if len(lines[-1]) + len(part) > width and lines[-1]:
            lines.append("  ")
        lines[-1] += part
    return "\n".join(lines)
