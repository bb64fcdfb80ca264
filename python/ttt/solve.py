"""Exact results: what a solver is, what it answers, and the verb `ttt solve`.

A game's own solver is the class that `ttt.solvers.<game>` binds to SOLVER; the other games, and
options a solver does not cover, are searched to the end by the engine.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from importlib import import_module
from time import perf_counter
from typing import Any, ClassVar, NamedTuple

from ttt.answers import Answers
from ttt.board import Board, board_class
from ttt.engine import Engine, Result, check_limits, check_threads
from ttt_core.errors import BadNotation
from ttt_core.move import Move

UNLIMITED = 2**62
QUIET = 0.2
"""Seconds before a search tells how it goes."""


class Solution(NamedTuple):
    """What is known of a position, for the side to move."""

    value: str
    """"win", "draw" or "loss"; "unknown" if a limit came first."""
    score: int | None
    """The game's own exact score where it has one; `details` may say more."""
    plies: int | None
    """To the end of a game that is won or lost; None if drawn or not known."""
    move: Move | None
    best: list[Move]
    """Every best move, as far as they were asked for and found."""
    low: int | None
    high: int | None
    """The score is between them so far."""
    nodes: int
    seconds: float
    details: dict[str, Any]
    """The game's own findings and counters."""

    def verdict(self) -> str:
        """The value in words: "win in 5", "draw", "between -2 and 3"."""
        if self.value != "unknown":
            return self.value if self.plies is None else f"{self.value} in {self.plies}"
        if self.low is None and self.high is None:
            return "unknown"
        return f"unknown, between {self.low} and {self.high} so far"


class Solver:
    """What every solver offers: `Solver(hash=64, threads=1, **options of the game)`."""

    flags: ClassVar[dict[str, str]] = {}
    """Settings of `solve` that a name switches on, with their help: `--name` of `ttt solve`."""
    exact_plies: ClassVar[bool] = False
    """Whether the plies of a solution are those of best play on both sides, not a bound."""
    has_threats: ClassVar[bool] = False
    """Whether `threats` has an answer for this game."""
    values: ClassVar[dict[str, tuple[str, str]]] = {}
    """Settings that take a value: what it is called, and their help."""

    def __init__(self, hash: int = 64, threads: int = 1, **options: Any) -> None:
        raise NotImplementedError

    @classmethod
    def covers(cls, options: dict[str, Any]) -> bool:
        """Whether it solves the game with these options."""
        return True

    def solve(
        self,
        board: Board,
        nodes: int | None = None,
        time: float | None = None,
        on_info: Callable[[Solution], None] | None = None,
        **settings: Any,
    ) -> Solution:
        """Solves a position, or says what was found when a limit was reached."""
        raise NotImplementedError

    @classmethod
    def worth_asking(cls, board: Board, nodes: int | None, time: float | None) -> bool:
        """Whether a search should spend so much on it; a class method, for tables cost time too."""
        return True

    def try_within(self, board: Board, nodes: int | None, time: float | None) -> Solution:
        """What these limits suffice for."""
        return self.solve(board, nodes, time)

    def threats(self, board: Board) -> list[Move] | None:
        """The chain of threats by which the side to move wins, where the game has such a search."""
        raise ValueError(f"{board.game} has no threat search")

    def stop(self) -> None:
        """Ends a call that runs in another thread."""
        raise NotImplementedError

    def clear(self) -> None:
        """Forgets what was found."""
        raise NotImplementedError


class EngineSolver(Solver):
    """The engine's search, to the end."""

    def __init__(self, game: str, hash: int = 64, threads: int = 1, **options: Any) -> None:
        self.engine = Engine(game, hash=hash, threads=threads, solver=False, **options)

    def solve(
        self,
        board: Board,
        nodes: int | None = None,
        time: float | None = None,
        on_info: Callable[[Solution], None] | None = None,
        **settings: Any,
    ) -> Solution:
        def inform(result: Result) -> None:
            if on_info is not None:
                on_info(solution_of(result))

        return solution_of(self.engine.search(board, nodes=nodes, time=time, on_info=inform))

    def stop(self) -> None:
        self.engine.stop()

    def clear(self) -> None:
        self.engine.clear()


def solution_of(result: Result) -> Solution:
    """What the engine's result says as a solution."""
    value = "unknown"
    if result.proven:
        value = "draw" if not result.score else "win" if result.score > 0 else "loss"
    return Solution(
        value=value,
        score=None,
        plies=result.plies,
        move=result.move,
        best=[result.move] if result.proven and result.move else [],
        low=None,
        high=None,
        nodes=result.nodes,
        seconds=result.seconds,
        details={"depth": result.depth},
    )


@lru_cache(maxsize=1)
def solved_games() -> tuple[str, ...]:
    """The games that have a solver of their own."""
    from pkgutil import iter_modules

    from ttt import solvers

    return tuple(module.name for module in iter_modules(solvers.__path__) if module.name[0] != "_")


@lru_cache(maxsize=64)
def solver_class(game: str) -> type[Solver] | None:
    """The class of a game's own solver; None if it has none."""
    board_class(game)
    if game not in solved_games():
        return None
    found: type[Solver] = import_module(f"ttt.solvers.{game}").SOLVER
    return found


def make_solver(game: str, hash: int | None = None, threads: int = 1, **options: Any) -> Solver:
    """The game's own solver or, if there is none that covers the options, the engine."""
    check_threads(threads)
    found = solver_class(game)
    given: dict[str, Any] = (
        {"threads": threads} if hash is None else {"hash": hash, "threads": threads}
    )
    if found is None or not found.covers(board_class(game)(**options).options):
        return EngineSolver(game, **given, **options)
    return found(**given, **options)


# --- the verb ------------------------------------------------------------------------------------


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
    if solution.score is not None:
        lines[0] += f", score {solution.score:+d}" if solution.score else ", score 0"
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
    check_limits(None, arguments.nodes, arguments.time)
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
        solution = solver.solve(first, arguments.nodes, arguments.time, inform, **settings)
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
            found = solver.solve(board, arguments.nodes, arguments.time, None, **settings)
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
    score = found.verdict() if found.score is None else found.score
    return f"{board.text()}\t{score}\t{','.join(found.best) or '-'}"
