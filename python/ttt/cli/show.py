"""`ttt show`: a position as text, as an SVG picture or as JSON."""

import argparse
from typing import Any

from ttt.cli.common import Parents, add_json, make_board, print_json


def add_parser(verbs: Any, parents: Parents) -> None:
    parser = verbs.add_parser(
        "show", parents=[parents.position, parents.options], help="draw a position"
    )
    form = parser.add_mutually_exclusive_group()
    add_json(form)
    form.add_argument("--svg", action="store_true", help="print an SVG picture to stdout")
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
        print(board)
        print(board.status())
        print(board.text())
