"""`ttt playouts`: random games and how they end."""

import argparse
import sys
import time
from typing import Any

from ttt.cli.common import Parents, add_seed, make_board, print_json, whole


def add_parser(verbs: Any, parents: Parents) -> None:
    parser = verbs.add_parser(
        "playouts",
        parents=[parents.position, parents.options, parents.report],
        help="play random games and count the results",
    )
    parser.add_argument("games", metavar="N", type=whole, help="number of games")
    add_seed(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    board = make_board(arguments)
    began = time.perf_counter()
    found = board.playouts(arguments.games, arguments.seed)
    seconds = time.perf_counter() - began
    if arguments.json:
        print_json(
            {
                "game": board.game,
                "options": board.options,
                "games": arguments.games,
                "seed": arguments.seed,
                **found,
                "seconds": seconds,
                "games_per_second": arguments.games / seconds,
            }
        )
        return
    games = max(arguments.games, 1)
    for name, label in (("x", "x wins"), ("o", "o wins"), ("draw", "draws")):
        print(f"{label:<7}{found[name]:>14,} {found[name] / games:7.2%}")
    print(f"{found['plies'] / games:.1f} plies per game on average")
    print(f"{seconds:.3f} s, {arguments.games / seconds:,.0f} games/s", file=sys.stderr)
