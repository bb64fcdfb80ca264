"""`ttt games`: the games, how their moves are written, and their options."""

import argparse
from typing import Any

from ttt.board import board_class, games
from ttt.cli.common import Parents, print_json, print_row

INDENT = 11


def add_parser(verbs: Any, parents: Parents) -> None:
    parser = verbs.add_parser("games", parents=[parents.report], help="list games and options")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    classes = [board_class(game) for game in games()]
    if arguments.json:
        entries = [
            {
                "game": cls.game,
                "title": cls.title,
                "goal": cls.goal,
                "options": {choice.name: choice.default for choice in cls.choices},
            }
            for cls in classes
        ]
        print_json({"games": entries})
        return
    for cls in classes:
        print_row(cls.game, f"{cls.title}: {cls.goal}", INDENT)
        print_row("", f"moves: {cls().spelling.help}", INDENT)
        for choice in cls.choices:
            print_row("", f"--set {choice.name}=VALUE: {choice.help}", INDENT)
