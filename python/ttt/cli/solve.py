"""`ttt solve`: the true value of a position, or of a file of them."""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import Any

from ttt.board import Board, board_class
from ttt.engine import make_solver
from ttt.limits import Limit
from ttt.solvers.base import Solution, Solver, solved_games, solver_class
from ttt.storage.answers import Answers
from ttt_core.errors import BadNotation

QUIET = 0.2
"""Seconds before a search tells how it goes."""


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Adds the flags of all solvers."""
    seen: dict[str, list[str]] = {}
    texts: dict[str, tuple[str | None, str]] = {}
    for game in solved_games():
        found = solver_class(game)
        if found is None:
            continue
        flags = {name: (None, text) for name, text in found.flags.items()}
        for name, words in {**flags, **found.values}.items():
            seen.setdefault(name, []).append(game)
            texts[name] = words
    for name, games in seen.items():
        metavar, text = texts[name]
        given: dict[str, Any] = {"metavar": metavar} if metavar else {"action": "store_true"}
        parser.add_argument(
            f"--{name}",
            dest=f"flag_{name.replace('-', '_')}",
            help=f"{', '.join(games)}: {text}",
            **given,
        )


def chosen_flags(arguments: argparse.Namespace, solver: Solver) -> dict[str, Any]:
    """The settings that flags make; refuses what this solver does not have."""
    settings = {}
    for name, value in vars(arguments).items():
        if not name.startswith("flag_") or value in (None, False):
            continue
        flag = name.removeprefix("flag_").replace("_", "-")
        known = (*solver.flags, *solver.values)
        if flag not in known:
            raise ValueError(
                f"--{flag} does not go with {arguments.game} and these options; it has"
                f" {' '.join(f'--{other}' for other in known) or 'none'}"
            )
        settings[name.removeprefix("flag_")] = value
    return settings


def record(board: Board, solution: Solution) -> dict[str, Any]:
    """What --json prints."""
    return {
        "game": board.game,
        "position": board.text(),
        "proven": solution.value != "unknown",
        **{name: value for name, value in solution._asdict().items() if name != "details"},
        **solution.details,
    }


def summary(solution: Solution) -> str:
    """A solution for people."""
    lines = [solution.verdict()]
    if solution.game_score is not None:
        lines[0] += f", score {solution.game_score:+d}" if solution.game_score else ", score 0"
    if solution.best:
        lines.append(f"best: {', '.join(solution.best)}")
    elif solution.move:
        lines.append(f"best so far: {solution.move}")
    lines += [
        f"{name.replace('_', ' ')}: {told(value)}" for name, value in solution.details.items()
    ]
    lines.append(f"{solution.nodes:,} nodes, {solution.seconds:.3f} s")
    return "\n".join(lines)


def progress(solution: Solution) -> str:
    """One line of a running search."""
    text = f"{solution.verdict()}, {solution.nodes:,} nodes, {solution.seconds:.2f} s"
    for name, value in solution.details.items():
        text += f", {name.replace('_', ' ')} {told(value)}"
    return text


def told(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(f"{key}:{item}" for key, item in value.items())
    return f"{value:,}" if isinstance(value, int) else str(value)


def solve_verb(arguments: argparse.Namespace, first: Board) -> None:
    """`ttt solve`: one position, or a file of them."""
    limit = Limit(nodes=arguments.nodes, time=arguments.time)
    solver = make_solver(first.game, arguments.hash, arguments.threads, **first.options)
    settings = chosen_flags(arguments, solver)
    if arguments.file is not None:
        if arguments.moves or arguments.position is not None:
            raise ValueError("--file does not go with --moves or --position")
        solve_file(arguments, first, solver, settings)
        return
    if arguments.out is not None:
        raise ValueError("--out goes with --file")

    def inform(solution: Solution) -> None:
        if not arguments.json and solution.seconds > QUIET:
            print(progress(solution), file=sys.stderr, flush=True)

    try:
        solution = solver.solve(first, limit, on_info=inform, **settings)
    except KeyboardInterrupt:
        if "checkpoint" in settings:
            print(f"\nthe search so far is in {settings['checkpoint']}", file=sys.stderr)
        raise
    if arguments.json:
        print(json.dumps(record(first, solution)))
    else:
        print(summary(solution))


def read_positions(lines: Iterable[str], start: Board) -> Iterator[Board]:
    """Boards from lines: moves from `start`, or position texts; empty lines are left out."""
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
    arguments: argparse.Namespace, start: Board, solver: Solver, settings: dict[str, Any]
) -> None:
    """Streams a line a position, in order; with --out to a file, going on where it ends."""
    source = sys.stdin if arguments.file == "-" else open(arguments.file, encoding="utf-8")  # noqa: SIM115
    before = None
    began = shown = perf_counter()
    done = skipped = 0
    number = -1
    try:
        if arguments.out:
            before = Answers(arguments.out, arguments.json)
            skipped = len(before.lines)
        for number, board in enumerate(read_positions(source, start)):
            if type(board) is not type(start) or board.options != start.options:
                raise ValueError(f"position {number + 1} has other options: {board.text()}")
            if before and number < skipped:
                before.check(number, board)
                continue
            if before:
                before.cut()
            found = solver.solve(board, Limit(None, arguments.nodes, arguments.time), **settings)
            line = json.dumps(record(board, found)) if arguments.json else text_of(board, found)
            if before:
                before.write(line)
            else:
                print(line, flush=True)
            done += 1
            if perf_counter() - shown > 1:
                shown = perf_counter()
                rate = done / (shown - began)
                print(f"{skipped + done} solved, {rate:,.1f} a second", file=sys.stderr, flush=True)
        if skipped > number + 1:
            raise BadNotation(f"{arguments.out}: {skipped} answers for {number + 1} positions")
    finally:
        if source is not sys.stdin:
            source.close()
        if before:
            before.file.close()
    text = f"{done} solved, {skipped} were there, {perf_counter() - began:.2f} s"
    print(text, file=sys.stderr, flush=True)


def text_of(board: Board, found: Solution) -> str:
    """A line of `--file`: the position, its score or value, the best moves."""
    score = found.verdict() if found.game_score is None else found.game_score
    return f"{board.text()}\t{score}\t{','.join(found.best) or '-'}"
