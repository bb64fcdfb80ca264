"""`ttt verify`: plays a strategy file against all replies."""

import argparse
import sys
from time import perf_counter
from typing import Any

from ttt.cli.common import Parents, print_json


def add_parser(verbs: Any, parents: Parents) -> None:
    parser = verbs.add_parser(
        "verify",
        parents=[parents.report],
        help="check that a strategy file wins against every reply",
    )
    parser.add_argument("file", metavar="FILE", help="strategy file written by `ttt prove`")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    from ttt.solvers.proof import longest, verify_strategy
    from ttt.solvers.strategy import Strategy

    strategy = Strategy.load(arguments.file)
    began = perf_counter()
    verify_strategy(strategy)
    seconds = perf_counter() - began
    if arguments.json:
        print_json(
            {
                "winner": strategy.winner,
                "entries": len(strategy),
                "longest": longest(strategy),
                "verified": True,
                "seconds": seconds,
            }
        )
        return
    print(f"{strategy.winner} wins against every reply: {len(strategy):,} positions checked")
    print(f"{seconds:.2f} s", file=sys.stderr)
