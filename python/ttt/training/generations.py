"""Generations of self-play and fitting, kept in a folder.

A generation plays games with few nodes per move and fits the weights to them and to the games of
the three generations before; the next one plays with these weights. The first plays with a
hand-made evaluation. All finished work is in the folder, so a stopped run can be resumed:

    settings.json                      the settings of the run
    <generation>/<number>.games        2,000 games each, see `ttt.training.selfplay`
    <generation>/weights.npy           weights in floating point
    test/<number>.games                games of the last generation that nothing is fitted to

The loss of every generation on the test games, whose targets are the results alone, shows what each
has learned: the loss that a fit reports is on games of its own.

The same seed gives the same games and, up to rounding, the same weights.
"""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ttt.board import Board
from ttt.engine import Engine
from ttt.matches.rating import rate
from ttt.storage.atomic import write_whole
from ttt.storage.reading import MIB, read_whole
from ttt.storage.weights import write_weights
from ttt.training.curricula import Curriculum
from ttt.training.fitting import Dataset, add_gradients, fit
from ttt.training.records import RECORD
from ttt.training.selfplay import core_engine, load_quantised, play_shards
from ttt.training.weights import quantise, random_weights, save_array, shipped_weights

RECENT = 4
"""Generations whose games the weights are fitted to."""
MATCH_NODES = 5_000


class Settings(NamedTuple):
    """The settings of a run, which its folder stores and must not change."""

    seed: int
    shards: int
    nodes: int
    epochs: int
    shipped: bool
    """Start from the shipped weights, not from random ones."""


def train(
    curriculum: Curriculum,
    settings: Settings,
    generations: int,
    folder: Path,
    out: Path,
    processes: int,
    cluster: str | None,
    report: Callable[[str], None],
) -> None:
    """Trains the generations that the folder does not have yet, and writes the weights of the last
    one to `out`."""
    keep_settings(folder, {"version": curriculum.version, **settings._asdict()})
    learned, path = random_weights(curriculum, settings.seed), None
    if settings.shipped:
        path = folder / "shipped.npy"
        if not path.exists():
            save_array(path, shipped_weights(curriculum))
        learned = np.load(path)
    scales: dict[Path, float] = {}
    records = 0
    for generation in range(1, generations + 1):
        here = folder / str(generation)
        seed = 1000 * settings.seed + generation
        shards, nodes = settings.shards, settings.nodes
        play_shards(curriculum, here, shards, nodes, seed, path, processes, cluster, report)
        scales[here] = curriculum.first_scale if path is None else curriculum.scale
        path = here / "weights.npy"
        records += sum(part.stat().st_size for part in here.glob("?????.games")) // RECORD.itemsize
        if not path.exists():
            dataset = Dataset(curriculum, dict(list(scales.items())[-RECENT:]))
            save_array(path, fit(dataset, learned, settings.epochs, seed, processes, report))
        learned = np.load(path)
        report(f"generation {generation}: {path}")
    play_tests(curriculum, settings, folder, path, processes, cluster, report)
    for line in test_losses(curriculum, folder, generations):
        report(line)
    begun = "shipped" if settings.shipped else "random"
    origin = f"from {begun} weights, seed {settings.seed}, {records} move records"
    write_weights(out, curriculum.name, curriculum.version, quantise(learned).tolist(), origin)


def play_tests(
    curriculum: Curriculum,
    settings: Settings,
    folder: Path,
    weights: Path | None,
    processes: int,
    cluster: str | None,
    report: Callable[[str], None],
) -> None:
    """Plays the test games, without random moves after the opening, unless the folder has them."""
    here, shards = folder / "test", len(curriculum.options)
    seed = 1000 * settings.seed
    nodes, sure = settings.nodes, (0.0,)
    play_shards(curriculum, here, shards, nodes, seed, weights, processes, cluster, report, sure)


def test_losses(curriculum: Curriculum, folder: Path, generations: int) -> Iterator[str]:
    """The loss of each generation on the test games; 0.6931 is that of a network that says 0."""
    dataset = Dataset(curriculum, {folder / "test": curriculum.scale})
    chunks = dataset.learned + dataset.held_out
    for generation in range(1, generations + 1):
        weights = np.load(folder / str(generation) / "weights.npy")
        loss, positions = add_gradients(chunks, weights, None, td_lambda=1)
        yield f"generation {generation}: loss {loss / positions:.5f} on the test games"


def keep_settings(folder: Path, settings: dict[str, Any]) -> None:
    """Writes the settings to a new folder; raises ValueError if an old one has other settings."""
    path, text = folder / "settings.json", json.dumps(settings)
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, [text.encode()])
    elif (before := read_whole(path, MIB).decode("ascii", "replace")) != text:
        raise ValueError(
            f"{folder}: other settings: {before}, not {text}; delete it or choose another --folder"
        )


def play_match(curriculum: Curriculum, folder: Path, first: int, second: int, pairs: int) -> str:
    """The result of a match between two generations (0: the hand-made evaluation), in pairs of
    games from openings of two to six random plies."""
    engines = [match_engine(curriculum, folder, which) for which in (first, second)]
    scores: list[float] = []
    results: list[int] = []  # of the first player: 1 won, 0 drawn, -1 lost
    for pair in range(pairs):
        rng, opening = random.Random(pair), Board(curriculum.game)
        for _ in range(rng.randint(2, 6)):
            opening.push(rng.choice(opening.safe_moves()))
        results += [play_game(engines, opening), -play_game(engines[::-1], opening)]
        scores.append((2 + sum(results[-2:])) / 4)
    rating = rate(results.count(1), results.count(0), results.count(-1), scores)
    return (
        f"generation {first} against {second}: {rating.score:.1%} of {2 * pairs} games,"
        f" Elo {rating.elo:+.0f} ({rating.low:+.0f} to {rating.high:+.0f})"
    )


def match_engine(curriculum: Curriculum, folder: Path, generation: int) -> Engine:
    """An engine with the weights of a generation."""
    evaluation = "default" if generation else curriculum.first_evaluation
    options: dict[str, Any] = dict(curriculum.options[0])
    engine = Engine(curriculum.game, 1, 1, evaluation, solver=False, **options)
    weights = load_quantised(folder / str(generation) / "weights.npy") if generation else None
    engine.core = core_engine(curriculum.game, weights, curriculum.options[0])
    return engine


def play_game(engines: list[Engine], opening: Board) -> int:
    """The result of a game for the first engine, which has x: 1 won, 0 drawn, -1 lost."""
    board = opening.copy()
    for engine in engines:
        engine.clear()
    while not board.is_game_over():
        move = engines[board.ply % 2].search(board, nodes=MATCH_NODES).move
        assert move is not None
        board.push(move)
    outcome = board.outcome()
    winner = None if outcome is None else outcome.winner
    return {"x": 1, "o": -1, None: 0}[winner]
