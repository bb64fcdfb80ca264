"""`ttt solve`: the exact value of a position, or of a file of positions.

`--json` prints one object (`json_fields` in `solution.py`, with --all-moves in `all_moves.py`):

    game, position      what was solved
    value, proven       "win", "draw", "loss" or "unknown"; whether it is known
    score, evaluation   "win in 5" or "draw" as text; 0 for a draw, null for a win or loss
    plies, exact        to the end of a game that is won or lost, null if unknown; whether the
                        number is exact, not an upper bound
    move, best          a best move, and all that are known
    game_score          Connect Four's own score; low and high bound it while it is unknown
    nodes, seconds      the work; the solver's own counters follow
"""

import argparse
import sys
from typing import TYPE_CHECKING, Any

from ttt.board import Board
from ttt.cli.common import Parents, add_jobs_arguments, fit, make_board, print_json

if TYPE_CHECKING:
    from ttt.engine import Engine
    from ttt.limits import Limit
    from ttt.solvers.base import Solution, Solver

QUIET_SECONDS = 0.2
"""No progress is shown before this many seconds."""
PREFIX = "setting_"
"""Prefix of the solver's own settings among the arguments."""


def add_parser(verbs: Any, parents: Parents) -> None:
    parser = verbs.add_parser(
        "solve",
        parents=[parents.position, parents.options, parents.report, parents.work],
        help="find the exact value of a position",
        complete=add_settings,
    )
    parser.add_argument(
        "--file",
        metavar="FILE",
        help="solve the position on each line of FILE (- is stdin), given as moves or as a"
        " position; limits apply to each",
    )
    parser.add_argument(
        "--out",
        metavar="FILE",
        help="with --file: append the solutions to FILE, continuing where it ends",
    )
    parser.add_argument("--all-moves", action="store_true", help="solve every legal move")
    add_jobs_arguments(parser)
    parser.set_defaults(run=run)


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Adds the settings of all solvers."""
    from ttt.solvers.base import solved_games, solver_class

    games: dict[str, list[str]] = {}
    texts: dict[str, tuple[str | None, str]] = {}
    for game in solved_games():
        solver = solver_class(game)
        assert solver is not None
        flags = {name: (None, text) for name, text in solver.flags.items()}
        for name, described in {**flags, **solver.values}.items():
            games.setdefault(name, []).append(game)
            texts[name] = described
    for name, having in games.items():
        metavar, text = texts[name]
        kind: dict[str, Any] = {"metavar": metavar} if metavar else {"action": "store_true"}
        parser.add_argument(
            f"--{name}",
            dest=PREFIX + name.replace("-", "_"),
            help=f"{text} ({', '.join(having)})",
            **kind,
        )


def chosen_settings(arguments: argparse.Namespace, solver: "Solver") -> dict[str, Any]:
    """The solver's own settings; raises ValueError for a setting of another solver."""
    known = [name.replace("-", "_") for name in (*solver.flags, *solver.values)]
    settings = {}
    for argument, value in vars(arguments).items():
        if not argument.startswith(PREFIX) or value in (None, False):
            continue
        name = argument.removeprefix(PREFIX)
        if name not in known:
            valid = ", ".join(f"--{other.replace('_', '-')}" for other in known)
            raise ValueError(
                f"--{name.replace('_', '-')} is not available for {arguments.game} with these"
                f" options; {f'choose from {valid}' if valid else 'it has no settings'}"
            )
        settings[name] = value
    return settings


def run(arguments: argparse.Namespace) -> None:
    from ttt.cli.solve_file import make_engine, solve_file
    from ttt.limits import Limit

    board = make_board(arguments)
    limit = Limit(nodes=arguments.nodes, time=arguments.time)
    resources = {
        "game": board.game,
        "options": board.options,
        "hash": arguments.hash,
        "threads": arguments.threads,
        "all_moves": arguments.all_moves,
    }
    engine = make_engine(**resources)
    assert engine.solver is not None
    settings = chosen_settings(arguments, engine.solver)
    if arguments.all_moves and "checkpoint" in settings:
        raise ValueError("--all-moves cannot be combined with --checkpoint")
    if arguments.file is not None:
        check_file_arguments(arguments, settings)
        del engine  # each process makes its own
        work = {"engine": resources, "settings": settings, "json": arguments.json}
        solve_file(arguments, board, {**work, "limit": limit._asdict()})
        return
    for name in ("out", "cluster", "shard"):
        if getattr(arguments, name) is not None:
            raise ValueError(f"--{name} needs --file")
    if arguments.processes != 1:
        raise ValueError("--processes needs --file; --threads speeds up a single position")
    solve = solve_moves if arguments.all_moves else solve_position
    solve(board, engine, limit, settings, arguments.json)


def check_file_arguments(arguments: argparse.Namespace, settings: dict[str, Any]) -> None:
    """Raises ValueError for arguments that --file cannot be combined with."""
    if arguments.moves or arguments.position is not None:
        raise ValueError("--file cannot be combined with --moves or --position")
    if arguments.all_moves and not arguments.json:
        raise ValueError("--file with --all-moves needs --json")
    if "checkpoint" in settings and (arguments.processes > 1 or arguments.cluster):
        raise ValueError("--checkpoint cannot be combined with --processes or --cluster")


def solve_position(
    board: Board, engine: "Engine", limit: "Limit", settings: dict[str, Any], as_json: bool
) -> None:
    """Prints the value of a position and its best moves; after Ctrl-C, what is known so far."""
    from ttt.cli.solution import json_fields, progress, summary

    latest: Solution | None = None

    def show_progress(solution: "Solution") -> None:
        nonlocal latest
        latest = solution
        if not as_json and solution.seconds > QUIET_SECONDS:
            print(fit(progress(solution), sys.stderr), file=sys.stderr, flush=True)

    def report(solution: "Solution") -> None:
        if as_json:
            print_json(json_fields(board, solution))
        else:
            print(summary(solution))

    try:
        report(engine.solve(board, limit, on_info=show_progress, **settings))
    except KeyboardInterrupt:
        if engine.solver.saved:
            print(f"\nsearch saved in {settings['checkpoint']}", file=sys.stderr)
        if latest is not None:
            report(latest)
        raise


def solve_moves(
    board: Board, engine: "Engine", limit: "Limit", settings: dict[str, Any], as_json: bool
) -> None:
    """Prints the score of every legal move; after Ctrl-C, those known so far."""
    from ttt.cli.all_moves import LiveTable, json_fields, summary

    live = LiveTable()
    inform = None if as_json else live.show
    try:
        engine.solve_moves(board, limit, on_info=inform, **settings)
    finally:
        live.clear()
        if engine.analysis is not None:
            if as_json:
                print_json(json_fields(board, engine.analysis))
            else:
                print(summary(engine.analysis))
