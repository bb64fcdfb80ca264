"""`ttt perft`: counts move sequences, the usual test of move generators."""

import argparse
import sys
import time
from typing import Any

from ttt.cli.common import Parents, make_board, print_json, whole


def add_parser(verbs: Any, parents: Parents) -> None:
    parser = verbs.add_parser(
        "perft",
        parents=[parents.position, parents.options, parents.report],
        help="count the move sequences of a given length",
    )
    parser.add_argument("depth", metavar="DEPTH", type=whole, help="length in plies")
    parser.add_argument("--divide", action="store_true", help="also count for each first move")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    board = make_board(arguments)
    if arguments.divide and arguments.depth < 1:
        raise ValueError("--divide needs a DEPTH of at least 1")
    began = time.perf_counter()
    divided = board.divide(arguments.depth) if arguments.divide else {}
    nodes = sum(divided.values()) if arguments.divide else board.perft(arguments.depth)
    seconds = time.perf_counter() - began
    if arguments.json:
        record: dict[str, Any] = {
            "game": board.game,
            "options": board.options,
            "depth": arguments.depth,
            "nodes": nodes,
            "seconds": seconds,
            "nodes_per_second": nodes / seconds,
        }
        if arguments.divide:
            record["divide"] = divided
        print_json(record)
        return
    for move, count in divided.items():
        print(f"{move}: {count:,}")
    print(f"{nodes:,} sequences of {arguments.depth} plies")
    print(f"{seconds:.3f} s, {nodes / seconds:,.0f} nodes/s", file=sys.stderr)
