"""`ttt solve`: the exact value of a position, or of a file of positions."""

import argparse
import sys
from typing import TYPE_CHECKING, Any

from ttt.cli.common import Parents, make_board, print_json

if TYPE_CHECKING:
    from ttt.solvers.base import Solution, Solver

QUIET_SECONDS = 0.2
"""A solver that is quicker shows no progress."""
PREFIX = "setting_"
"""What the solver's own settings are called among the arguments."""


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
    """The solver's own settings; refuses those of other solvers."""
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
    from ttt.cli.solution import progress, record, summary
    from ttt.cli.solve_file import solve_file
    from ttt.engine import make_solver
    from ttt.limits import check_limits

    board = make_board(arguments)
    check_limits(None, arguments.nodes, arguments.time)
    solver = make_solver(board.game, arguments.hash, arguments.threads, **board.options)
    settings = chosen_settings(arguments, solver)
    if arguments.file is not None:
        if arguments.moves or arguments.position is not None:
            raise ValueError("--file cannot be combined with --moves or --position")
        solve_file(arguments, board, solver, settings)
        return
    if arguments.out is not None:
        raise ValueError("--out needs --file")

    def show_progress(solution: "Solution") -> None:
        if not arguments.json and solution.seconds > QUIET_SECONDS:
            print(progress(solution), file=sys.stderr, flush=True)

    try:
        solution = solver.solve(board, arguments.nodes, arguments.time, show_progress, **settings)
    except KeyboardInterrupt:
        if "checkpoint" in settings:
            print(f"\nsearch saved in {settings['checkpoint']}", file=sys.stderr)
        raise
    if arguments.json:
        print_json(record(board, solution))
    else:
        print(summary(solution))
