"""`ttt bench`: searches fixed positions of every game.

Each search has one thread and an empty table. Its node count is the signature of the search: it is
the same on every machine and changes only if the behaviour changes.
"""

import argparse
from typing import Any

from ttt.board import board_class, games
from ttt.cli.common import Parents, print_json, whole


def add_parser(verbs: Any, parents: Parents) -> None:
    parser = verbs.add_parser(
        "bench", parents=[parents.report], help="search fixed positions: node counts and speed"
    )
    parser.add_argument(
        "game", metavar="GAME", nargs="?", help="name of the game (default: all games)"
    )
    parser.add_argument(
        "--depth", metavar="D", type=whole, help="search depth in plies (default: the game's own)"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    from ttt.limits import Limit

    Limit(depth=arguments.depth)  # raises before anything is searched
    nodes, seconds, entries = 0, 0.0, []
    for game in [arguments.game] if arguments.game else games():
        found = search_positions(game, arguments.depth)
        entries.append({"game": game, "nodes": found[0], "seconds": found[1]})
        nodes += found[0]
        seconds += found[1]
        if not arguments.json:
            print(row(game, *found), flush=True)
    if arguments.json:
        total = {"nodes": nodes, "seconds": seconds, "nodes_per_second": nodes / seconds}
        print_json({"games": entries, **total})
    else:
        print(row("signature", nodes, seconds))


def search_positions(game: str, depth: int | None) -> tuple[int, float]:
    """The nodes and seconds of the game's bench positions."""
    from ttt.engine import Engine

    kind = board_class(game)
    own_depth, openings = kind.bench
    nodes, seconds = 0, 0.0
    for opening in openings:
        board = kind()
        board.push_moves(opening)
        result = Engine(game, hash=16).search(board, depth=depth or own_depth)
        nodes += result.nodes
        seconds += result.seconds
    return nodes, seconds


def row(name: str, nodes: int, seconds: float) -> str:
    return f"{name:<10} {nodes:>12,} nodes {nodes / seconds / 1e6:7.2f} M/s"
