"""`ttt play`: games in the terminal, against the computer, another person, or between computers."""

import argparse
from typing import Any

from ttt.cli.common import Parents, seconds, whole

DEFAULT_LEVEL = 5


def add_parser(verbs: Any, parents: Parents) -> None:
    parser = verbs.add_parser("play", parents=[parents.options], help="play in the terminal")
    parser.add_argument(
        "game", metavar="GAME", nargs="?", help="name of the game; prompts if omitted"
    )
    parser.add_argument(
        "--as",
        dest="side",
        type=str.lower,
        choices=("x", "o"),
        help="your side; prompts if omitted",
    )
    strength = parser.add_mutually_exclusive_group()
    strength.add_argument(
        "--level",
        metavar="N",
        type=whole,
        help=f"strength of the computer, from 1 (easy) to 10 (default {DEFAULT_LEVEL})",
    )
    strength.add_argument(
        "--player", metavar="PLAYER", help="player to play against; see `ttt players`"
    )
    parser.add_argument(
        "--opponent",
        metavar="PLAYER",
        help="let this player play against --player or --level instead of you; `human` alone is a"
        " game of two people",
    )
    parser.add_argument(
        "--time", metavar="S", type=seconds, help="seconds per move for the computer"
    )
    parser.add_argument(
        "--hints", action="store_true", help="show a hint before each of your moves"
    )
    parser.add_argument(
        "--seed", metavar="S", type=whole, help="random seed of the computer (default: random)"
    )
    parser.add_argument(
        "--games", metavar="N", type=whole, help="number of games (default: ask after each game)"
    )
    parser.add_argument("--ascii", action="store_true", help="plain ASCII without colours")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    from ttt.cli.prompts import Quit, say
    from ttt.cli.session import play

    if arguments.games == 0:
        raise ValueError("--games 0: expected at least 1")
    if (arguments.player, arguments.opponent, arguments.level) == (None, None, None):
        arguments.level = DEFAULT_LEVEL
    try:
        play(arguments)
    except Quit:
        say("Bye.")
