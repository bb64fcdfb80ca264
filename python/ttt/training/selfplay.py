"""Self-play: games of the engine against itself, written to files.

A file, or shard, has SHARD games (`ttt.training.records`). Games begin with random plies and have
random moves in between. A shard depends only on its number, the seed and the weights, not on the
number of processes. The master writes the files: workers may be on other machines.
"""

import base64
import time
import zlib
from collections.abc import Callable
from contextlib import closing
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ttt.board import board_class
from ttt.jobs import Progress, run_jobs
from ttt.storage.atomic import write_whole
from ttt.training.curricula import CURRICULA, Curriculum, Options
from ttt.training.records import RECORD
from ttt.training.weights import quantise, weights_shape

if TYPE_CHECKING:
    from ttt_core.interface import Engine as CoreEngine

SHARD = 2000
"""Games in a file."""
OPENING = 10
"""At most this many random plies at the start of a game."""
RANDOM_MOVES = (0.06, 0.03, 0.01, 0.005)
"""The share of random moves after that; shards take these in turn."""
TASK = "ttt.training.selfplay:SelfPlay"


@cache
def core_engine(game: str, weights: bytes | None, options: Options) -> "CoreEngine":
    """A compiled engine with quantised weights; with zeros if there are none."""
    cls = board_class(game)
    shared = cls.make_ruleset(**dict(options))
    zeros = bytes(2 * np.prod(weights_shape(game)))
    learned = np.frombuffer(zeros if weights is None else weights, np.int16)
    ruleset = cls.ruleset_type(shared.options, lambda _: shared.moves, learned.copy)
    return cls.engine_type(ruleset, 1)


def load_quantised(path: Path) -> bytes:
    """The weights of a generation as the core takes them."""
    return quantise(np.load(path)).tobytes()


class SelfPlay:
    """Plays shards: a job is the number of a shard, its result the compressed games in base 64."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.curriculum = CURRICULA[settings["name"]]
        self.nodes, self.seed = settings["nodes"], settings["seed"]
        self.random_moves = settings["random_moves"]
        text = settings["weights"]
        self.weights = None if text is None else base64.b64decode(text)

    def __call__(self, shard: int) -> str:
        curriculum = self.curriculum
        engine = core_engine(curriculum.game, self.weights, curriculum.shard_options(shard))
        evaluation = "default" if self.weights else curriculum.first_evaluation
        games: bytearray = import_module(f"ttt_core.games.{curriculum.game}").play_games(
            engine,
            SHARD,
            100_000 * self.seed + shard,
            self.nodes,
            OPENING,
            self.random_moves[shard // len(curriculum.options) % len(self.random_moves)],
            engine.evaluations.index(evaluation),
        )
        return base64.b64encode(zlib.compress(games)).decode()


def play_shards(
    curriculum: Curriculum,
    folder: Path,
    shards: int,
    nodes: int,
    seed: int,
    weights: Path | None,
    processes: int,
    cluster: str | None,
    report: Callable[[str], None],
    random_moves: tuple[float, ...] = RANDOM_MOVES,
) -> None:
    """Plays the shards that the folder does not have yet."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{shard:05}.games" for shard in range(shards)]
    missing = [shard for shard, path in enumerate(paths) if not path.exists()]
    if not missing:
        return
    text = None if weights is None else base64.b64encode(load_quantised(weights)).decode()
    settings = {
        "name": curriculum.name,
        "nodes": nodes,
        "seed": seed,
        "weights": text,
        "random_moves": random_moves,
    }
    began, records = time.monotonic(), 0
    jobs = run_jobs(TASK, settings, missing, processes=processes, cluster=cluster)
    with closing(jobs), closing(Progress(shards, shards - len(missing), "files")) as bar:
        for index, result in jobs:
            games = zlib.decompress(base64.b64decode(result))
            write_whole(paths[missing[index]], [games])
            records += len(games) // RECORD.itemsize
            bar.add()
    report(
        f"{folder.name}: {len(missing)} files of {SHARD} games,"
        f" {records:,} move records, {time.monotonic() - began:.0f} s"
    )
