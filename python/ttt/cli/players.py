"""`ttt players`: the players, presets and levels, and their options."""

import argparse
from typing import Any

from ttt.cli.common import Parents, print_json, print_row

INDENT = 15


def add_parser(verbs: Any, parents: Parents) -> None:
    parser = verbs.add_parser("players", parents=[parents.report], help="list players and options")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    from ttt.players.builtin import PLAYERS
    from ttt.players.presets import LEVELS, PRESETS
    from ttt.players.spec import options_of

    if arguments.json:
        presets = {name: {"game": game, "player": text} for name, (game, text) in PRESETS.items()}
        options = {name: options_of(kind) for name, kind in PLAYERS.items()}
        print_json({"players": options, "presets": presets, "levels": LEVELS})
        return
    print_row("human", "you, in `ttt play`", INDENT)
    for name, kind in PLAYERS.items():
        print_row(name, kind.__doc__ or "", INDENT)
        options_text = ", ".join(
            option if default is None else f"{option}={default}"
            for option, default in options_of(kind).items()
        )
        if options_text:
            print_row("", f"options: {options_text}", INDENT)
    for name, (game, text) in PRESETS.items():
        print_row(name, f"{game}: {text}", INDENT)
    for level, text in enumerate(LEVELS, 1):
        print_row(f"level-{level}", text, INDENT)
    outside = "a program that speaks a protocol: ,protocol=ugi, codingame or unsw"
    print_row("program:CMD", outside, INDENT)
    own = "your own: a function of the board, or a class or object with choose(board)"
    print_row("module:name", own, INDENT)
