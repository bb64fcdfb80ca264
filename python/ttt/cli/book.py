"""`ttt book`: builds an opening book of Connect Four by solving."""

import argparse
import sys
from time import perf_counter
from typing import Any

from ttt.board import Board
from ttt.cli.common import Parents, add_game, add_jobs_arguments, game_options, print_json, whole

PLIES = 8


def add_parser(verbs: Any, parents: Parents) -> None:
    parser = verbs.add_parser(
        "book",
        parents=[parents.options, parents.report],
        help="build an opening book by solving (connect4)",
        epilog="Repeat the command to resume a run that was stopped.",
    )
    add_game(parser, "connect4")
    parser.add_argument(
        "--plies",
        metavar="N",
        type=whole,
        default=PLIES,
        help=f"include every position of at most N plies (default {PLIES})",
    )
    parser.add_argument("--out", metavar="FILE", required=True, help="book to write")
    add_jobs_arguments(parser, shard=False)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    import os

    from ttt.jobs import Progress
    from ttt.proofs.book import BookBuilder
    from ttt.solvers.book import Book
    from ttt.storage.atomic import check_target

    board = Board(arguments.game, **game_options(arguments))
    if board.game != "connect4" or board.options["connect"] != 4:
        raise ValueError("books are available for connect4 with connect=4")
    check_target(arguments.out)
    if os.path.exists(arguments.out):
        try:
            Book.load(arguments.out)
        except ValueError:
            raise ValueError(f"{arguments.out}: refusing to overwrite: not a book") from None
    began = perf_counter()
    columns, rows = board.options["columns"], board.options["rows"]
    builder = BookBuilder(arguments.out, arguments.plies, columns, rows)
    before = len(builder.scores)
    progress = Progress(len(builder.keys), before, "positions")
    try:
        for count in builder.run(arguments.processes, arguments.cluster):
            if not arguments.json:
                for _ in range(count):
                    progress.add()
        book = builder.finish()
    finally:
        progress.close()
        builder.close()
    found = {
        "game": board.game,
        "options": board.options,
        "plies": book.plies,
        "positions": len(book),
        "solved": len(builder.keys) - before,
        "bytes": os.path.getsize(arguments.out),
        "seconds": perf_counter() - began,
    }
    if arguments.json:
        print_json(found)
        return
    print(f"{len(book):,} positions up to ply {book.plies} written to {arguments.out}")
    print(f"{found['bytes']:,} bytes, {found['seconds']:.1f} s", file=sys.stderr)
