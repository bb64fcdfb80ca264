"""`ttt prove`: writes a proof that a side wins against every reply.

qubic: a strategy file, in seconds. nineboard: a folder with a log, from which a stopped run
resumes, and in the end a certificate; see `ttt.proofs`.
"""

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any

from ttt.board import Board
from ttt.cli.common import Parents, add_jobs_arguments, fit, make_board, print_json

if TYPE_CHECKING:
    from ttt.proofs.nineboard import Proof

TABLE_MIB = 128


def add_parser(verbs: Any, parents: Parents) -> None:
    parser = verbs.add_parser(
        "prove",
        parents=[parents.position, parents.options, parents.report, parents.work],
        help="prove a win and write the proof (nineboard, qubic)",
    )
    parser.add_argument(
        "--out",
        metavar="PATH",
        required=True,
        help="strategy file (qubic), or folder in which the proof is kept and resumed (nineboard)",
    )
    add_jobs_arguments(parser, processes=os.cpu_count() or 1)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    board = make_board(arguments)
    if board.game == "nineboard":
        prove_nineboard(arguments, board)
    elif board.game == "qubic":
        prove_qubic(arguments, board)
    else:
        raise ValueError(f"no proofs of {board.game}; choose from nineboard, qubic")


# --- qubic ---------------------------------------------------------------------------------------


def prove_qubic(arguments: argparse.Namespace, board: Board) -> None:
    from ttt.solvers.proof import longest, prove_win

    if arguments.cluster is not None or arguments.shard is not None:
        raise ValueError("--cluster and --shard are for nineboard: qubic's proof is one job")
    check_out(arguments.out)

    def show_progress(record: dict[str, Any]) -> None:
        rate = record["threat_nodes"] / max(record["seconds"], 1e-9) / 1e6
        text = (
            f"{record['attacker']} attacks: proof {record['proof']:,}, disproof "
            f"{record['disproof']:,}, {record['positions']:,} positions, "
            f"{record['threat_nodes'] / 1e6:,.1f} M nodes, {rate:.2f} M/s"
        )
        print(fit(text, sys.stderr), file=sys.stderr, flush=True)

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


# --- nineboard -----------------------------------------------------------------------------------

CERTIFICATE = "nineboard.proof"


def prove_nineboard(arguments: argparse.Namespace, board: Board) -> None:
    from ttt.proofs.nineboard import LEAF_PLY, Proof, Settings

    for name in ("nodes", "hash"):
        if getattr(arguments, name) is not None:
            raise ValueError(f"--{name} is not available for nineboard: its node counts are fixed")
    if arguments.threads != 1:
        raise ValueError("--threads is not available for nineboard; use --processes")
    if board.ply == 0:
        board = Board("nineboard", full="draw")  # the proof holds under both rules
    settings = Settings(leaf_ply=max(LEAF_PLY, board.ply + 4))
    proof = Proof(arguments.out, board, settings, arguments.shard)
    try:
        found = work_on(proof, arguments)
    finally:
        proof.close()
    if arguments.json:
        print_json(found)
    elif found["proven"]:
        print(f"x wins: {found['move']}")
        print(
            f"{found['moves']:,} moves of x and {found['leaves']:,} leaves written to"
            f" {found['certificate']}"
        )
        print(f"check it with: ttt verify {found['certificate']}", file=sys.stderr)
    elif found["failed"]:
        print("not proven: every move of x was tried and left open or refuted")
    else:
        print(
            f"not finished: {found['solved']:,} of {found['leaves']:,} leaves are solved, all of"
            " them won; repeat the command to continue"
        )


def work_on(proof: "Proof", arguments: argparse.Namespace) -> dict[str, Any]:
    """Runs rounds of jobs until the proof is complete or --time is over. Returns a report."""
    from contextlib import closing
    from time import monotonic

    from ttt.jobs import Progress

    ends = monotonic() + (arguments.time or 1e9)
    while True:
        tree = proof.tree()
        jobs = proof.jobs(tree)
        if not jobs or monotonic() >= ends:
            break
        moves = bool(tree.missing_moves)
        say = (lambda text: None) if arguments.json else report
        say(
            f"{len(tree.moves):,} moves of x"
            + (f", {len(jobs):,} to find" if moves else f", {len(tree.leaves):,} leaves solved")
        )
        done, total = 0, len(jobs)
        if not moves:
            done, total = len(tree.leaves), len(tree.leaves) + len(jobs)
        progress = Progress(total, done, "moves" if moves else "leaves")
        try:
            with closing(proof.run(jobs, arguments.processes, arguments.cluster)) as finished:
                for _ in finished:
                    if not arguments.json:
                        progress.add()
                    if monotonic() >= ends:
                        break
        finally:
            progress.close()
    return summary(proof, arguments.out)


def summary(proof: "Proof", folder: str) -> dict[str, Any]:
    """The state of a proof; writes its certificate if it is complete."""
    tree = proof.tree()
    missing = len(tree.missing_moves) + len(tree.missing_leaves)
    found: dict[str, Any] = {
        "game": "nineboard",
        "position": proof.first.text(),
        "proven": not missing and not tree.failed,
        "failed": bool(tree.failed),
        "move": None,
        "moves": len(tree.moves),
        "leaves": len(tree.leaves) + len(tree.missing_leaves),
        "solved": len(tree.leaves),
        "nodes": sum(leaf.nodes for leaf in tree.leaves.values()),
        "certificate": None,
    }
    if found["proven"]:
        certificate = proof.certificate(tree)
        certificate.check_tree()
        found["certificate"] = os.path.join(folder, CERTIFICATE)
        certificate.save(found["certificate"])
        record = certificate.find(proof.first)
        assert record is not None
        found["move"] = proof.first.ruleset.moves[record.move]
    return found


def report(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
