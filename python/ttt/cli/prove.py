"""`ttt prove` and `ttt verify`: winning strategies as files, and their check."""

import argparse
import json
import os
import sys
from time import perf_counter
from typing import Any

from ttt.board import Board
from ttt.solvers.proof import longest, prove_win, verify_strategy
from ttt.solvers.strategy import Strategy
from ttt.storage.atomic import check_target


def prove_board(board: Board, arguments: argparse.Namespace) -> None:
    """`ttt prove`."""
    check_target(arguments.out)
    if os.path.exists(arguments.out):
        try:
            Strategy.load(arguments.out)
        except ValueError:
            raise ValueError(f"{arguments.out} is there and is no strategy: left alone") from None
    strategy, record = prove_win(
        board,
        arguments.hash or 128,
        arguments.threads,
        nodes=arguments.nodes,
        time=arguments.time,
        on_info=None if arguments.json else lambda line: live(board, line),
    )
    strategy.save(arguments.out)
    found = {
        "game": board.game,
        "position": board.text(),
        "winner": strategy.winner,
        "entries": len(strategy),
        "longest": longest(strategy),
        **{name: record[name] for name in ("expansions", "positions", "threat_nodes", "seconds")},
    }
    if arguments.json:
        print(json.dumps(found))
        return
    print(f"{strategy.winner} wins, in {found['longest']} plies at most")
    print(f"{len(strategy):,} positions written to {arguments.out}")
    print(f"{found['threat_nodes']:,} nodes, {found['seconds']:.2f} s", file=sys.stderr)


def live(board: Board, record: dict[str, Any]) -> None:
    rate = record["threat_nodes"] / max(record["seconds"], 1e-9) / 1e6
    print(
        f"{board.turn} attacks: proof {record['proof']:,} disproof {record['disproof']:,}, "
        f"{record['positions']:,} positions, {record['threat_nodes']:,} nodes {rate:.2f} M/s",
        file=sys.stderr,
        flush=True,
    )


def verify_file(arguments: argparse.Namespace) -> None:
    """`ttt verify`."""
    strategy = Strategy.load(arguments.file)
    began = perf_counter()
    verify_strategy(strategy)
    seconds = perf_counter() - began
    if arguments.json:
        print(
            json.dumps(
                {
                    "winner": strategy.winner,
                    "entries": len(strategy),
                    "longest": longest(strategy),
                    "verified": True,
                    "seconds": seconds,
                }
            )
        )
        return
    print(f"{strategy.winner} wins every game: {len(strategy):,} positions, all replies checked")
    print(f"{seconds:.2f} s", file=sys.stderr)
