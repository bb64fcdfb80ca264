"""A network's weights fitted to self-play games: Adam on the logarithmic loss.

Targets are TD(lambda), lambda = 0.9: the mean of the result and of the search scores from the
position on, with geometrically decreasing weights, up to the next random move. Loss and gradients
are compiled (`src/ttt_core/training/gradients.pxi`).
"""

import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ttt.board import Board
from ttt.training.curricula import Curriculum
from ttt.training.records import END, RECORD
from ttt.training.weights import Array, training_module

LAMBDA = 0.9
CHUNK = 25
"""Games that stay together when the games are shuffled."""
BATCH = 18
"""Chunks per step: about 16,000 positions."""
RATE = 2e-3
"""Learning rate at the start; it falls linearly to 2% of that."""
HELD_OUT = 20
"""In the last shards, one chunk in 20 measures the loss and is not learned from."""


class Chunk(NamedTuple):
    """Some games, with the arguments of their loss."""

    loss: Any
    """The GameLoss of their rule options."""
    games: Array
    score_scale: float


class Dataset:
    """Games in chunks: those to learn from, and those held out to measure the loss."""

    def __init__(self, curriculum: Curriculum, folders: dict[Path, float]) -> None:
        """`folders` maps folders of games to the scale of their scores."""
        losses = {
            options: training_module(curriculum.game).GameLoss(
                Board(curriculum.game, **dict(options)).ruleset.options
            )
            for options in set(curriculum.options)
        }
        self.learned: list[Chunk] = []
        self.held_out: list[Chunk] = []
        for folder, scale in folders.items():
            paths = sorted(folder.glob("?????.games"))
            for i, path in enumerate(paths):
                loss = losses[curriculum.shard_options(int(path.stem))]
                chunks = [Chunk(loss, games, scale) for games in split(path)]
                last = i >= len(paths) - len(curriculum.options)
                part = len(chunks) // HELD_OUT if last else 0
                self.held_out += chunks[:part]
                self.learned += chunks[part:]


def split(path: Path) -> Iterator[Array]:
    """The bytes of a file of games, CHUNK games at a time."""
    records = np.fromfile(path, RECORD)
    ends = 1 + np.flatnonzero(records["kind"] == END)
    bounds = [0, *ends[CHUNK - 1 :: CHUNK].tolist()]
    if len(ends) and bounds[-1] < ends[-1]:
        bounds.append(int(ends[-1]))
    for first, last in pairwise(bounds):
        yield records[first:last].view(np.uint8)


def add_gradients(
    chunks: list[Chunk], weights: Array, gradients: Array | None, td_lambda: float = LAMBDA
) -> tuple[float, int]:
    """Adds the gradients of some chunks; returns the sum of losses and the number of positions."""
    loss, positions = 0.0, 0
    for chunk in chunks:
        found = chunk.loss.add_gradients(
            chunk.games, weights, gradients, td_lambda, chunk.score_scale
        )
        loss, positions = loss + found[0], positions + found[1]
    return loss, positions


def fit(
    dataset: Dataset,
    start: Array,
    epochs: int,
    seed: int,
    threads: int,
    report: Callable[[str], None],
) -> Array:
    """The weights after some epochs of Adam, starting from `start`."""
    rng = random.Random(seed)
    weights = start.astype(np.float32)
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    partial = [np.zeros_like(weights) for _ in range(threads)]
    size = max(1, min(BATCH, len(dataset.learned) // 10))
    steps, step = epochs * (len(dataset.learned) // size), 0
    with ThreadPoolExecutor(threads) as pool:
        for epoch in range(epochs):
            began = time.monotonic()
            rng.shuffle(dataset.learned)
            for i in range(len(dataset.learned) // size):
                batch = dataset.learned[i * size : (i + 1) * size]
                for part in partial:
                    part[:] = 0
                shares = [batch[thread::threads] for thread in range(threads)]
                found = list(pool.map(add_gradients, shares, [weights] * threads, partial))
                gradient = sum(partial) / max(1, sum(positions for _, positions in found))
                step += 1
                mean += 0.1 * (gradient - mean)
                square += 0.001 * (gradient * gradient - square)
                weights -= (
                    (RATE * (1 - 0.98 * step / steps))
                    * (mean / (1 - 0.9**step))
                    / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
                )
            loss, positions = add_gradients(dataset.held_out, weights, None)
            report(
                f"epoch {epoch + 1}: loss {loss / max(1, positions):.5f} on {positions:,} positions"
                f" held out, {time.monotonic() - began:.0f} s"
            )
            if not np.isfinite(weights).all():
                raise ArithmeticError("the fit diverged: some weights are not finite")
    return weights
