"""Self-play: games of the engine against itself, written to files.

A file, or shard, has SHARD games (`ttt.training.records`). Games begin with random plies and have
random moves in between. A shard depends only on its number, the seed and the weights, not on the
number of processes.
"""

import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from importlib import import_module
from multiprocessing import parent_process
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np

from ttt.board import board_class
from ttt.storage.atomic import write_whole
from ttt.training.curricula import Curriculum, Options
from ttt.training.records import RECORD
from ttt.training.weights import quantise, weights_shape

if TYPE_CHECKING:
    from ttt_core.interface import Engine as CoreEngine

SHARD = 2000
"""Games in a file."""
OPENING = 10
"""At most this many random plies at the start of a game."""
RANDOM_MOVES = (0.06, 0.03, 0.01, 0.0)
"""The share of random moves after that; shards take these in turn."""


@cache
def core_engine(game: str, weights: Path | None, options: Options) -> "CoreEngine":
    """A compiled engine with the weights of a generation; with zeros if there are none."""
    cls = board_class(game)
    shared = cls.make_ruleset(**dict(options))
    learned = np.zeros(weights_shape(game)) if weights is None else np.load(weights)
    ruleset = cls.ruleset_type(
        shared.options, lambda _: shared.moves, lambda: quantise(learned).ravel()
    )
    return cls.engine_type(ruleset, 1)


def play_shard(
    curriculum: Curriculum, path: Path, nodes: int, seed: int, shard: int, weights: Path | None
) -> int:
    """Plays the games of a shard and writes them to its file; returns the number of records."""
    engine = core_engine(curriculum.game, weights, curriculum.shard_options(shard))
    evaluation = "default" if weights else curriculum.first_evaluation
    games: bytearray = import_module(f"ttt_core.games.{curriculum.game}").play_games(
        engine,
        SHARD,
        100_000 * seed + shard,
        nodes,
        OPENING,
        RANDOM_MOVES[shard // len(curriculum.options) % len(RANDOM_MOVES)],
        engine.evaluations.index(evaluation),
    )
    write_whole(path, [bytes(games)])
    return len(games) // RECORD.itemsize


def follow_parent() -> None:
    """Leaves Ctrl-C to the process that started this one, and ends when that process ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=exit_with_parent, daemon=True).start()


def exit_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def play_shards(
    curriculum: Curriculum,
    folder: Path,
    shards: int,
    nodes: int,
    seed: int,
    weights: Path | None,
    processes: int,
    report: Callable[[str], None],
) -> None:
    """Plays the shards that the folder does not have yet. Ctrl-C finishes those that are being
    played, then raises KeyboardInterrupt."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {shard: folder / f"{shard:05}.games" for shard in range(shards)}
    began, records = time.monotonic(), 0
    with ProcessPoolExecutor(processes, initializer=follow_parent) as pool:
        jobs: list[Any] = [
            pool.submit(play_shard, curriculum, path, nodes, seed, shard, weights)
            for shard, path in paths.items()
            if not path.exists()
        ]
        try:
            for done, job in enumerate(as_completed(jobs), 1):
                records += job.result()
                if done % 20 == 0 or done == len(jobs):
                    report(
                        f"generation {folder.name}: {done} of {len(jobs)} files of {SHARD} games,"
                        f" {records:,} move records, {time.monotonic() - began:.0f} s"
                    )
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
