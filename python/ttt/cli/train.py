"""`ttt train`: learns the evaluation of a game anew, and writes it as a weights file."""

import argparse
import os
from pathlib import Path
from typing import Any

DESCRIPTIONS = {
    "nineboard": "the engine's evaluation, from self-play",
    "ultimate": "the engine's evaluation, from self-play",
    "nineboard-solver": "the network of the proof search, from solved positions and games",
    "connect4": "the constants of the evaluation, from solved positions; prints them",
}


def count(text: str) -> int:
    """An argument that is a number of things."""
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r}: expected a whole number from 1 up")
    return int(text)


def add_parser(verbs: Any, parents: Any) -> None:
    """Adds the verb to the parser of the command line."""
    verb = verbs.add_parser("train", help="learn an evaluation anew (needs numpy)")
    games = verb.add_subparsers(dest="game", metavar="GAME", required=True)
    for game in ("nineboard", "ultimate"):
        add_selfplay(games, game)
    solver = games.add_parser("nineboard-solver", help=DESCRIPTIONS["nineboard-solver"])
    solver.add_argument(
        "--positions", metavar="N", type=count, default=100_000, help="to solve; default 100,000"
    )
    solver.add_argument(
        "--games", metavar="N", type=count, default=36_000, help="of self-play; default 36,000"
    )
    solver.add_argument(
        "--nodes", metavar="N", type=count, default=1_500, help="for each move; default 1,500"
    )
    add_common(solver)
    connect4 = games.add_parser("connect4", help=DESCRIPTIONS["connect4"])
    connect4.add_argument(
        "--positions", metavar="N", type=count, default=60_000, help="to solve; default 60,000"
    )
    verb.set_defaults(run=run)


def add_selfplay(games: Any, game: str) -> None:
    """Adds a game that learns from self-play."""
    from ttt.training.curricula import CURRICULA

    own = CURRICULA[game]
    parser = games.add_parser(
        game,
        help=DESCRIPTIONS[game],
        epilog="A run that was stopped goes on where it was: repeat the command.",
    )
    parser.add_argument(
        "--generations",
        metavar="N",
        type=count,
        default=own.generations,
        help=f"of games and weights; default {own.generations}",
    )
    parser.add_argument(
        "--shards",
        metavar="N",
        type=count,
        default=own.shards,
        help=f"files of 2,000 games in a generation; default {own.shards}",
    )
    parser.add_argument(
        "--nodes",
        metavar="N",
        type=count,
        default=own.nodes,
        help=f"for each move; default {own.nodes}",
    )
    parser.add_argument(
        "--epochs", metavar="N", type=count, default=2, help="of fitting; default 2"
    )
    cores = os.cpu_count() or 1
    parser.add_argument(
        "--processes", metavar="N", type=count, default=cores, help=f"default {cores}, all cores"
    )
    parser.add_argument(
        "--folder",
        metavar="DIR",
        type=Path,
        default=Path(f"build/train-{game}"),
        help=f"keeps the games and generations; default build/train-{game}",
    )
    parser.add_argument("--shipped", action="store_true", help="start from the shipped weights")
    parser.add_argument(
        "--match",
        metavar=("A", "B"),
        type=int,
        nargs=2,
        help="play two generations of the folder against each other instead; 0: the hand-made"
        " evaluation",
    )
    parser.add_argument(
        "--pairs", metavar="N", type=count, default=100, help="of games in a match; default 100"
    )
    add_common(parser)


def add_common(parser: Any) -> None:
    parser.add_argument("--seed", metavar="S", type=int, default=1, help="default 1")
    parser.add_argument(
        "--out",
        metavar="FILE",
        type=Path,
        help="the weights file to write; default: the one that ttt uses, in a source checkout",
    )


def report(line: str) -> None:
    print(line, flush=True)


def run(arguments: argparse.Namespace) -> None:
    if arguments.game == "nineboard-solver":
        run_solver(arguments)
        return
    try:
        import numpy  # noqa: F401
    except ImportError:
        raise ValueError("numpy is not installed: pip install ttt[train]") from None
    if arguments.game == "connect4":
        run_connect4(arguments)
    else:
        run_selfplay(arguments)


def run_selfplay(arguments: argparse.Namespace) -> None:
    from ttt.training.curricula import CURRICULA
    from ttt.training.generations import Settings, play_match, train

    curriculum = CURRICULA[arguments.game]
    if arguments.match:
        first, second = arguments.match
        report(play_match(curriculum, arguments.folder, first, second, arguments.pairs))
        return
    out = output_path(arguments)
    settings = Settings(**{name: getattr(arguments, name) for name in Settings._fields})
    train(
        curriculum,
        settings,
        arguments.generations,
        arguments.folder,
        out,
        arguments.processes,
        report,
    )
    report(f"weights: {out}")


def run_solver(arguments: argparse.Namespace) -> None:
    from ttt.training.nineboard_solver import train

    out = output_path(arguments)
    train(arguments.positions, arguments.games, arguments.nodes, arguments.seed, out, report)
    report(f"weights: {out}")


def run_connect4(arguments: argparse.Namespace) -> None:
    from ttt.training.connect4 import fit

    found = fit(arguments.positions)
    for name, value in found.constants.items():
        report(f"{name} = {value:.1f}")
    report(f"{found.positions:,} positions, {found.explained:.3f} of the variance explained")


def output_path(arguments: argparse.Namespace) -> Path:
    """The file to write, checked before the work begins."""
    from ttt.storage.atomic import check_target
    from ttt.storage.weights import FOLDER, shipped_path

    if arguments.out is None and not (FOLDER.parents[2] / "pyproject.toml").exists():
        raise ValueError("name the weights file with --out: ttt does not run from its sources")
    path: Path = arguments.out or shipped_path(arguments.game)
    check_target(path)
    return path
