"""`ttt solve --file`: one line per position, to stdout or to a file that can be resumed.

Standard output has the order of the input. With several processes, a file has the order in which
the positions were solved; each line begins with its position, so that resuming finds the rest.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from io import TextIOWrapper
from time import perf_counter
from typing import Any, TextIO

from ttt.board import Board, board_class
from ttt.cli.all_moves import move_fields
from ttt.cli.solution import json_fields, line_of
from ttt.engine import Engine, make_solver
from ttt.jobs import Progress, Shard, in_order, run_jobs
from ttt.jobs.progress import say
from ttt.limits import Limit
from ttt.storage.lines import LineFile
from ttt.storage.reading import open_regular
from ttt_core.errors import BadNotation

TABLE_MIB = 64
TASK = "ttt.cli.solve_file:Solving"
LINE_LENGTH = 4096
"""Characters. A longer line is refused: it is no position, and may never end."""


def open_positions(path: str) -> TextIO:
    """Opens a file of positions, which may be of any size."""
    try:
        return TextIOWrapper(open_regular(path), encoding="utf-8", errors="replace")
    except ValueError as error:
        raise ValueError(f"{error}; use --file - to read from a pipe") from None


def short_lines(source: TextIO, name: str) -> Iterator[str]:
    """The lines of a file; raises BadNotation at one that is too long."""
    number = 0
    while line := source.readline(LINE_LENGTH):
        number += 1
        if len(line) == LINE_LENGTH and not line.endswith("\n"):
            raise BadNotation(f"{name}, line {number}: longer than {LINE_LENGTH:,} characters")
        yield line


def make_engine(
    game: str, options: dict[str, Any], hash: int | None, threads: int, all_moves: bool
) -> Engine:
    """An engine that solves with these resources. Its own table is used for all moves of games
    without a solver, and for nothing else."""
    size = (hash or TABLE_MIB) if all_moves else 1
    engine = Engine(game, hash=size, threads=threads, **options)
    engine.solver = make_solver(game, hash, threads, **options)
    return engine


class Solving:
    """Solves positions: a job is the text of a position, its result the line to print."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.engine = make_engine(**settings["engine"])
        self.all_moves = settings["engine"]["all_moves"]
        self.limit = Limit(**settings["limit"])
        self.settings = settings["settings"]
        self.json = settings["json"]

    def __call__(self, text: str) -> str:
        board = Board.parse(text)
        found = self.engine.solve(board, self.limit, **self.settings)
        if not self.json:
            return line_of(board, found)
        fields = json_fields(board, found)
        if self.all_moves:
            moves = self.engine.solve_moves(board, self.limit, **self.settings)
            fields["moves"] = [move_fields(entry) for entry in moves]
        return json.dumps(fields)


def read_positions(lines: Iterable[str], start: Board) -> Iterator[str]:
    """Position texts from lines: moves from `start`, or positions; empty lines are skipped."""
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text:
            continue
        try:
            if len(text.split()) > 1 and not text[0].isdigit():
                board = board_class(start.game).parse(text)
            else:
                board = start.copy()
                board.push_moves(text)
        except ValueError as error:
            raise BadNotation(f"line {number}: {error}") from None
        if type(board) is not type(start) or board.options != start.options:
            raise ValueError(f"line {number}: position with other options: {board.text()}")
        yield board.text()


def solve_file(arguments: argparse.Namespace, start: Board, settings: dict[str, Any]) -> None:
    """Solves the positions of --file; skips those that are already in --out."""
    began = perf_counter()
    with ExitStack() as stack:
        source = sys.stdin
        if arguments.file != "-":
            source = stack.enter_context(open_positions(arguments.file))
        shard = arguments.shard or Shard()
        lines = short_lines(source, arguments.file)
        read = enumerate(read_positions(lines, start))
        texts: Iterable[str] = (text for index, text in read if shard.has(index))
        total = None
        saved = None
        skipped = done = 0
        if arguments.out or arguments.processes > 1 or arguments.cluster:
            texts = list(texts)
            total = len(texts)
        if arguments.out:
            begin = '{"game": ' if arguments.json else start.game
            saved = stack.enter_context(LineFile(arguments.out, begin))
            texts = missing(list(texts), saved)
            skipped = len(saved.lines)
        results = run_jobs(
            *(TASK, settings, texts), processes=arguments.processes, cluster=arguments.cluster
        )
        stack.enter_context(closing(results))
        bar = None
        if saved or not sys.stdout.isatty():
            bar = stack.enter_context(closing(Progress(total, skipped, "positions")))
        for _, line in results if saved else in_order(results):
            if saved:
                saved.append(line)
            else:
                print(line, flush=True)
            done += 1
            if bar:
                bar.add()
    say(f"{done} solved, {skipped} already in the file, {perf_counter() - began:.2f} s")


def missing(texts: list[str], saved: LineFile) -> list[str]:
    """The positions that a file has no solution of; raises BadNotation if it has others."""
    if len(saved.lines) > len(texts):
        raise BadNotation(f"{saved.path}: {len(saved.lines)} solutions for {len(texts)} positions")
    left = Counter(texts)
    for number, line in enumerate(saved.lines, 1):
        position = position_of(line)
        if not left[position]:
            raise BadNotation(
                f"{saved.path}, line {number}: its position is not in the input, or less often;"
                " choose another file, or delete it"
            )
        left[position] -= 1
    todo = []
    for text in texts:
        if left[text]:
            left[text] -= 1
            todo.append(text)
    return todo


def position_of(line: str) -> str:
    """The position of a saved line; the checksum covers the rest."""
    if line.startswith("{"):
        return str(json.loads(line).get("position"))
    return line.partition("\t")[0]
