"""`ttt train`: trains the evaluation of a game and writes a weights file."""

import argparse
import os
from pathlib import Path
from typing import Any

from ttt.cli.common import add_jobs_arguments

DESCRIPTIONS = {
    "nineboard": "the engine's evaluation, from self-play",
    "ultimate": "the engine's evaluation under tie=draw, from self-play",
    "ultimate-boards": "the engine's evaluation under tie=boards, from self-play",
    "nineboard-solver": "the network of the proof search, from solved positions and games",
    "connect4": "the constants of the evaluation, from solved positions; prints them",
}


def count(text: str) -> int:
    """The type of an argument that is a whole number from 1 up."""
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r}: expected a whole number from 1 up")
    return int(text)


def add_parser(verbs: Any, parents: Any) -> None:
    """Adds the verb to the parser of the command line."""
    verb = verbs.add_parser("train", help="train an evaluation (needs numpy)")
    networks = verb.add_subparsers(dest="network", metavar="NETWORK", required=True)
    for name in ("nineboard", "ultimate", "ultimate-boards"):
        add_selfplay(networks, name)
    solver = networks.add_parser("nineboard-solver", help=DESCRIPTIONS["nineboard-solver"])
    add_count(solver, "--positions", 100_000, "positions to solve")
    add_count(solver, "--games", 36_000, "games of self-play")
    add_count(solver, "--nodes", 1_500, "nodes searched for each move")
    add_common(solver)
    connect4 = networks.add_parser("connect4", help=DESCRIPTIONS["connect4"])
    add_count(connect4, "--positions", 60_000, "positions to solve")
    verb.set_defaults(run=run)


def add_selfplay(networks: Any, name: str) -> None:
    """Adds a network that learns from self-play."""
    from ttt.training.curricula import CURRICULA

    own = CURRICULA[name]
    parser = networks.add_parser(
        name,
        help=DESCRIPTIONS[name],
        epilog="Repeat the command to resume a run that was stopped.",
    )
    add_count(parser, "--generations", own.generations, "generations of games and weights")
    add_count(parser, "--shards", own.shards, "files of 2,000 games in each generation")
    add_count(parser, "--nodes", own.nodes, "nodes searched for each move")
    add_count(parser, "--epochs", 2, "passes over the games in each fit")
    add_jobs_arguments(parser, shard=False, processes=os.cpu_count() or 1)
    folder = f"build/train-{name}"
    parser.add_argument(
        "--folder",
        metavar="DIR",
        type=Path,
        default=Path(folder),
        help=f"where to keep games and generations; default {folder}",
    )
    parser.add_argument("--shipped", action="store_true", help="start from the shipped weights")
    parser.add_argument(
        "--match",
        metavar=("A", "B"),
        type=int,
        nargs=2,
        help="instead of training, play generations A and B against each other; 0 is the hand-made"
        " evaluation",
    )
    add_count(parser, "--pairs", 100, "pairs of games in a match")
    add_common(parser)


def add_count(parser: Any, name: str, default: int, text: str) -> None:
    parser.add_argument(
        name, metavar="N", type=count, default=default, help=f"{text}; default {default:,}"
    )


def add_common(parser: Any) -> None:
    """Adds the options of everything that writes a weights file."""
    parser.add_argument("--seed", metavar="S", type=int, default=1, help="random seed; default 1")
    parser.add_argument(
        "--out",
        metavar="FILE",
        type=Path,
        help="weights file to write; default: the shipped one, in a source checkout",
    )


def report(line: str) -> None:
    print(line, flush=True)


def run(arguments: argparse.Namespace) -> None:
    if arguments.network == "nineboard-solver":
        run_solver(arguments)
        return
    from importlib.util import find_spec

    if find_spec("numpy") is None:
        raise ValueError('numpy is not installed: pip install "ttt-engine[train]"')
    if arguments.network == "connect4":
        run_connect4(arguments)
    else:
        run_selfplay(arguments)


def run_selfplay(arguments: argparse.Namespace) -> None:
    from ttt.training.curricula import CURRICULA
    from ttt.training.generations import Settings, play_match, train

    curriculum = CURRICULA[arguments.network]
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
        arguments.cluster,
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
        raise ValueError("--out is required outside a source checkout")
    path: Path = arguments.out or shipped_path(arguments.network)
    check_target(path)
    return path
