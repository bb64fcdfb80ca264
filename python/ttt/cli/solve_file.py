"""`ttt solve --file`: one line per position, to stdout or to a file that can be resumed."""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import Any

from ttt.board import Board, board_class
from ttt.cli.all_moves import move_fields
from ttt.cli.solution import json_fields, line_of
from ttt.engine import Engine
from ttt.limits import Limit
from ttt.storage.lines import LineFile
from ttt_core.errors import BadNotation


def read_positions(lines: Iterable[str], start: Board) -> Iterator[Board]:
    """Boards from lines: moves from `start`, or position texts; empty lines are skipped."""
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text:
            continue
        try:
            if len(text.split()) > 1 and not text[0].isdigit():
                yield board_class(start.game).parse(text)
            else:
                board = start.copy()
                board.push_moves(text)
                yield board
        except ValueError as error:
            raise BadNotation(f"line {number}: {error}") from None


def solve_file(
    arguments: argparse.Namespace,
    start: Board,
    engine: Engine,
    limit: Limit,
    settings: dict[str, Any],
) -> None:
    """Solves the positions of --file; skips those that are already in --out."""
    source = sys.stdin if arguments.file == "-" else open(arguments.file, encoding="utf-8")  # noqa: SIM115
    saved = None
    began = shown = perf_counter()
    done = skipped = count = 0
    try:
        if arguments.out:
            saved = LineFile(arguments.out, '{"game": ' if arguments.json else start.game)
            skipped = len(saved.lines)
        for count, board in enumerate(read_positions(source, start), 1):
            if type(board) is not type(start) or board.options != start.options:
                raise ValueError(f"position {count} has other options: {board.text()}")
            if saved and count <= skipped:
                if position_of(saved.lines[count - 1]) != board.text():
                    raise BadNotation(
                        f"{arguments.out}, line {count}: not a solution of position {count};"
                        " choose another file, or delete it"
                    )
                continue
            found = engine.solve(board, limit, **settings)
            line = line_of(board, found)
            if arguments.json:
                fields = json_fields(board, found)
                if arguments.all_moves:
                    moves = engine.solve_moves(board, limit, **settings)
                    fields["moves"] = [move_fields(entry) for entry in moves]
                line = json.dumps(fields)
            if saved:
                saved.append(line)
            else:
                print(line, flush=True)
            done += 1
            if perf_counter() - shown > 1:
                shown = perf_counter()
                say(f"{skipped + done} solved, {done / (shown - began):,.1f} per second")
        if skipped > count:
            raise BadNotation(f"{arguments.out}: {skipped} solutions for {count} positions")
    finally:
        if source is not sys.stdin:
            source.close()
        if saved:
            saved.close()
    say(f"{done} solved, {skipped} already in the file, {perf_counter() - began:.2f} s")


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def position_of(line: str) -> object:
    """The position of a saved line; the checksum covers the rest."""
    return json.loads(line).get("position") if line.startswith("{") else line.partition("\t")[0]
