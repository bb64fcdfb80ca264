"""`ttt verify`: checks a proof that `ttt prove` wrote."""

import argparse
import os
import sys
from time import perf_counter
from typing import Any

from ttt.cli.common import Parents, add_jobs_arguments, print_json, whole
from ttt.cli.prove import CERTIFICATE

SAMPLE = 20


def sample_size(text: str) -> int | None:
    """The type of --sample; None: all."""
    return None if text == "all" else whole(text)


def add_parser(verbs: Any, parents: Parents) -> None:
    parser = verbs.add_parser(
        "verify",
        parents=[parents.report],
        help="check a proof against every reply",
    )
    parser.add_argument(
        "file",
        metavar="PATH",
        help="file or folder written by `ttt prove`, or `nineboard`, `qubic`",
    )
    parser.add_argument(
        "--sample",
        metavar="N",
        type=sample_size,
        default=SAMPLE,
        help="solve N random leaves of a certificate or positions of a book again, or `all`"
        f" (default {SAMPLE})",
    )
    parser.add_argument(
        "--seed", metavar="S", type=whole, default=1, help="seed of the sample (default 1)"
    )
    add_jobs_arguments(parser, processes=os.cpu_count() or 1)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    from ttt.storage.reading import open_regular

    path = shipped_path(arguments.file)
    with open_regular(path) as file:
        magic = file.read(8)
    began = perf_counter()
    checks = {b"tttnineb": verify_certificate, b"tttbook4": verify_book}
    found, text = checks.get(magic, verify_strategy)(path, arguments)
    seconds = perf_counter() - began
    if arguments.json:
        print_json({**found, "verified": True, "seconds": seconds})
        return
    print(text)
    print(f"{seconds:.2f} s", file=sys.stderr)


def shipped_path(path: str) -> str:
    """The file to check: in a folder, the certificate; for the name of a game, the shipped file."""
    from ttt.solvers import certificate, strategy

    shipped = {"nineboard": certificate.SHIPPED, "qubic": strategy.SHIPPED}
    if path in shipped and not os.path.exists(path):
        return os.fspath(shipped[path])
    if not os.path.isdir(path):
        return path
    found = os.path.join(path, CERTIFICATE)
    if not os.path.exists(found) and has_log(path):
        raise ValueError(
            f"{path}: the proof is not finished, so there is no certificate yet;"
            f" ttt prove nineboard --out {path} continues it"
        )
    return found


def has_log(folder: str) -> bool:
    """Whether a folder has the log of a proof."""
    from ttt.proofs.log import PACKED

    return any(name == PACKED or name.endswith(".log") for name in os.listdir(folder))


def verify_strategy(path: str, arguments: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from ttt.solvers.proof import longest, verify_strategy
    from ttt.solvers.strategy import Strategy

    strategy = Strategy.load(path)
    verify_strategy(strategy)
    return {
        "winner": strategy.winner,
        "entries": len(strategy),
        "longest": longest(strategy),
    }, f"{strategy.winner} wins against every reply: {len(strategy):,} positions checked"


def verify_certificate(path: str, arguments: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from contextlib import closing

    from ttt.jobs import Progress
    from ttt.proofs.verification import sample_leaves, solve_again
    from ttt.solvers.certificate import Certificate

    certificate = Certificate.load(path)
    certificate.check_tree()
    every = certificate.leaves()
    leaves = sample_leaves(every, arguments.sample, arguments.seed)
    if arguments.shard is not None:
        leaves = arguments.shard.select(leaves)
    moves = len(certificate.records) - len(every)
    if not arguments.json:
        print(
            f"{moves:,} moves of x, {len(every):,} leaves: every reply of o is answered",
            file=sys.stderr,
        )
    progress = Progress(len(leaves), unit="leaves")
    nodes = 0
    try:
        with closing(
            solve_again(certificate, leaves, arguments.processes, arguments.cluster)
        ) as solved:
            for count in solved:
                nodes += count
                if not arguments.json:
                    progress.add()
    finally:
        progress.close()
    return {
        "winner": "x",
        "moves": moves,
        "leaves": len(every),
        "solved": len(leaves),
        "nodes": nodes,
    }, f"x wins against every reply: {len(leaves):,} of {len(every):,} leaves solved again"


def verify_book(path: str, arguments: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from ttt.jobs import Progress
    from ttt.proofs.book import check_book
    from ttt.solvers.book import Book

    book = Book.load(path)
    solved = 0
    progress = Progress(arguments.sample or len(book), unit="positions")
    try:
        for _ in check_book(book, arguments.sample, arguments.seed):
            solved += 1
            if not arguments.json:
                progress.add()
    finally:
        progress.close()
    return {
        "plies": book.plies,
        "positions": len(book),
        "solved": solved,
    }, f"{len(book):,} positions up to ply {book.plies} agree; {solved:,} solved again"
