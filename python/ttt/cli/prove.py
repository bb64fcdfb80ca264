"""`ttt prove`: writes a strategy that wins against every reply."""

import argparse
import os
import sys
from typing import Any

from ttt.cli.common import Parents, make_board, print_json

TABLE_MIB = 128


def add_parser(verbs: Any, parents: Parents) -> None:
    parser = verbs.add_parser(
        "prove",
        parents=[parents.position, parents.options, parents.report, parents.work],
        help="write a winning strategy to a file (qubic)",
    )
    parser.add_argument("--out", metavar="FILE", required=True, help="strategy file to write")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    from ttt.solvers.proof import longest, prove_win

    board = make_board(arguments)
    check_out(arguments.out)

    def show_progress(record: dict[str, Any]) -> None:
        rate = record["threat_nodes"] / max(record["seconds"], 1e-9) / 1e6
        print(
            f"{board.turn} attacks: proof number {record['proof']:,}, disproof number "
            f"{record['disproof']:,}, {record['positions']:,} positions, "
            f"{record['threat_nodes']:,} nodes, {rate:.2f} M/s",
            file=sys.stderr,
            flush=True,
        )

    strategy, record = prove_win(
        board,
        TABLE_MIB if arguments.hash is None else arguments.hash,
        arguments.threads,
        nodes=arguments.nodes,
        time=arguments.time,
        on_info=None if arguments.json else show_progress,
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
        print_json(found)
        return
    print(f"{strategy.winner} wins in at most {found['longest']} plies")
    print(f"{len(strategy):,} positions written to {arguments.out}")
    print(f"{found['threat_nodes']:,} nodes, {found['seconds']:.2f} s", file=sys.stderr)


def check_out(path: str) -> None:
    """Raises ValueError if the file cannot be written, or exists and is not a strategy."""
    from ttt.solvers.strategy import Strategy
    from ttt.storage.atomic import check_target

    check_target(path)
    if os.path.exists(path):
        try:
            Strategy.load(path)
        except ValueError:
            raise ValueError(f"{path}: refusing to overwrite: not a strategy file") from None
