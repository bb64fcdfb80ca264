"""How evaluations are learned from games of the engine with itself: what the scripts share.

A generation plays games at few nodes a move and fits weights to them and to those of the two
generations before; the next plays with these. The first plays with an evaluation made by hand.
Games begin with some random plies and have random moves in between, under all rule options. What is
done is not done again: `--folder` has a file for every 2,000 games (an array of TURN, read by
`numpy.fromfile`; src/ttt_core/turn.pxd says what a turn is), the weights of each generation and the
settings, which stay; to begin anew, delete it or name another. The same seed gives the same games
and, up to how the machine rounds, the same weights, however many processes play.

What a position should be worth is a mean of what the searches from it on thought and of how the
game ended, the nearer the weightier (TD of lambda); a random move breaks the chain.
"""

import argparse
import json
import os
import random
import re
import struct
import time
import zlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ttt import Board, Engine
from ttt.matches.rating import rate
from ttt.storage.atomic import write_whole

Array = npt.NDArray[Any]

TURN = np.dtype([("move", np.uint8), ("kind", np.uint8), ("score", np.int16)])
ENDED = 3
SHARD = 2000  # games
OPENING = 10  # random plies at most
STRAYS = (0.06, 0.03, 0.01, 0.0)  # of the moves are random, by turns
LAMBDA = 0.9
PIECE = 25  # games that stay together
BATCH = 18  # pieces to a step, some 16,000 positions
RATE = 2e-3


@dataclass(frozen=True)
class Course:
    """What is to be learned, and by which game."""

    game: str
    version: int
    rare: int
    """From this row on features are rare and begin with nothing."""
    options: tuple[tuple[tuple[str, str], ...], ...]
    """Of the files of games, by turns."""
    hand: str
    """The evaluation that plays first."""
    hand_odds: float
    """A score of so much is a log-odd of 1, in its searches."""
    odds: float
    """The same for the learned evaluation; searches see more than it."""
    scale: int = 1024
    """Weights are whole numbers of so much of a log-odd."""

    @property
    def core(self) -> Any:
        return import_module(f"ttt_core.games.{self.game}")

    @property
    def training(self) -> Any:
        return import_module(f"ttt_core.training.{self.game}")

    @property
    def target(self) -> Path:
        folder = Path(__file__).parents[1] / "src/ttt_core/evaluations"
        return folder / f"{self.game}_weights.pxd"

    def rounded(self, weights: Array) -> Array:
        """The weights as the core takes them."""
        most = 32_000 / self.scale
        found = np.round(np.clip(weights, -most, most) * self.scale)
        return np.ascontiguousarray(found, np.int16)

    def first_weights(self, seed: int) -> Array:
        """Random ones; pairs of units are alike, so that every position is worth nothing."""
        rng = np.random.default_rng(seed)
        rows, units = self.training.SHAPE
        half = rng.normal(0, 0.03, (rows, units // 2)).astype(np.float32)
        half[self.rare :] = 0
        return np.concatenate([half, half], 1)


# --- games ---------------------------------------------------------------------------------------


def make_engine(
    course: Course, weights: Array | None, options: tuple[tuple[str, str], ...]
) -> Engine:
    """An engine with weights of its own; without any it plays by hand."""
    chosen: dict[str, Any] = dict(options)
    if weights is None:
        return Engine(course.game, 1, 1, course.hand, solver=False, **chosen)
    engine = Engine(course.game, 1, 1, solver=False, **chosen)
    shared = engine.core.ruleset
    ruleset = course.core.Ruleset(shared.options, lambda _: shared.moves)
    engine.core = type(engine.core)(ruleset, 1)
    course.core.take_weights(ruleset, weights)
    return engine


@cache
def engine_of(course: Course, path: Path | None, options: tuple[tuple[str, str], ...]) -> Engine:
    """An engine with the weights of a file."""
    weights = None if path is None else course.rounded(np.load(path))
    return make_engine(course, weights, options)


def shard_options(course: Course, shard: int) -> tuple[tuple[str, str], ...]:
    return course.options[shard % len(course.options)]


def play_shard(
    course: Course, path: Path, nodes: int, seed: int, shard: int, weights: Path | None
) -> int:
    """Plays games into a file; returns how many turns they have."""
    engine = engine_of(course, weights, shard_options(course, shard))
    strays = STRAYS[shard // len(course.options) % len(STRAYS)]
    games = course.core.play_games(
        engine.core, SHARD, 100_000 * seed + shard, nodes, OPENING, strays, engine.evaluation
    )
    write_whole(path, [games])
    return len(games) // TURN.itemsize


def gather(
    course: Course,
    folder: Path,
    shards: int,
    nodes: int,
    seed: int,
    weights: Path | None,
    processes: int,
) -> None:
    """Plays what is missing of so many files of games."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {shard: folder / f"{shard:05}.games" for shard in range(shards)}
    began, turns = time.monotonic(), 0
    with ProcessPoolExecutor(processes) as pool:
        todo = [
            pool.submit(play_shard, course, path, nodes, seed, shard, weights)
            for shard, path in paths.items()
            if not path.exists()
        ]
        for done, future in enumerate(as_completed(todo), 1):
            turns += future.result()
            if done % 20 == 0 or done == len(todo):
                print(
                    f"generation {folder.name}: {done} of {len(todo)} files of {SHARD} games,"
                    f" {turns:,} turns, {time.monotonic() - began:.0f} s",
                    flush=True,
                )


# --- the fit -------------------------------------------------------------------------------------


class Pieces:
    """Games in pieces of some games each, those held back to measure the loss apart."""

    def __init__(self, course: Course, odds: dict[Path, float]) -> None:
        """`odds` are of the folders of games."""
        self.lessons: dict[tuple[tuple[str, str], ...], Any] = {
            options: course.training.Lessons(Board(course.game, **dict(options)).ruleset.options)
            for options in set(course.options)
        }
        self.learned: list[tuple[Any, Array, float]] = []
        self.held: list[tuple[Any, Array, float]] = []
        for folder, worth in odds.items():
            paths = sorted(folder.glob("?????.games"))
            for shard, path in enumerate(paths):
                lesson = self.lessons[shard_options(course, int(path.stem))]
                pieces = [(lesson, piece, worth) for piece in cut(path)]
                part = len(pieces) // 20 if shard >= len(paths) - len(course.options) else 0
                self.held += pieces[:part]
                self.learned += pieces[part:]


def cut(path: Path) -> Iterator[Array]:
    """The bytes of a file, so many games to a piece."""
    turns = np.fromfile(path, TURN)
    ends = 1 + np.flatnonzero(turns["kind"] == ENDED)
    bounds = [0, *ends[PIECE - 1 :: PIECE].tolist()]
    if len(ends) and bounds[-1] < ends[-1]:
        bounds.append(int(ends[-1]))
    for first, last in pairwise(bounds):
        yield turns[first:last].view(np.uint8)


def slopes_of(
    pieces: list[tuple[Any, Array, float]], weights: Array, slopes: Array | None
) -> tuple[float, int]:
    """Adds the slopes of the loss over some pieces; returns the loss and the positions."""
    loss, positions = 0.0, 0
    for lesson, games, odds in pieces:
        found = lesson.slopes(games, weights, slopes, LAMBDA, odds)
        loss, positions = loss + found[0], positions + found[1]
    return loss, positions


def fit(pieces: Pieces, start: Array, epochs: int, seed: int, threads: int) -> Array:
    """Weights by Adam on the logarithmic loss, from those of the generation before on."""
    rng = random.Random(seed)
    weights = start.astype(np.float32)
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    partial = [np.zeros_like(weights) for _ in range(threads)]
    size = max(1, min(BATCH, len(pieces.learned) // 10))
    steps, step = epochs * (len(pieces.learned) // size), 0
    with ThreadPoolExecutor(threads) as pool:
        for epoch in range(epochs):
            began = time.monotonic()
            rng.shuffle(pieces.learned)
            for i in range(len(pieces.learned) // size):
                batch = pieces.learned[i * size : (i + 1) * size]
                for part in partial:
                    part[:] = 0
                shares = [batch[thread::threads] for thread in range(threads)]
                found = list(pool.map(slopes_of, shares, [weights] * threads, partial))
                slope = sum(partial) / max(1, sum(positions for _, positions in found))
                step += 1
                mean += 0.1 * (slope - mean)
                square += 0.001 * (slope * slope - square)
                weights -= (
                    (RATE * (1 - 0.98 * step / steps))
                    * (mean / (1 - 0.9**step))
                    / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
                )
            loss, positions = slopes_of(pieces.held, weights, None)
            print(
                f"epoch {epoch + 1}: loss {loss / max(1, positions):.5f} on {positions:,} positions"
                f" not learned from, {time.monotonic() - began:.0f} s",
                flush=True,
            )
            if not np.isfinite(weights).all():
                raise ArithmeticError("the fit has come apart: its weights are not finite")
    return weights


# --- the file of weights -------------------------------------------------------------------------

HEAD = '''"""Weights of the learned evaluation of {game}; `make train-{game}` makes such a file.

Version {version}: {origin}.
The check is the CRC-32 of the weights as little-endian 16-bit numbers, row by row.
"""

from libc.stdint cimport int16_t, uint32_t

cdef extern from *:
    """
    #include <stdint.h>
    enum {{ TTT_{upper}_VERSION = {version}, TTT_{upper}_UNITS = {units} }};
    static const uint32_t ttt_{game}_check __attribute__((unused)) = {check}u;
    static const int16_t ttt_{game}_weights[{rows}][{units}] = {{
'''
TAIL = '''    }};
    """
    const int WEIGHTS_VERSION "TTT_{upper}_VERSION"
    const uint32_t WEIGHTS_CHECK "ttt_{game}_check"
    const int16_t LEARNED "ttt_{game}_weights"[][{units}]

cdef enum:
    UNITS = {units}
'''


def write(course: Course, weights: Array, path: Path, origin: str) -> None:
    """The weights as a file that the core compiles in."""
    rows = weights.tolist()
    facts = {
        "game": course.game,
        "upper": course.game.upper(),
        "version": course.version,
        "origin": origin,
        "check": zlib.crc32(b"".join(struct.pack(f"<{len(row)}h", *row) for row in rows)),
        "rows": len(rows),
        "units": len(rows[0]),
    }
    body = "".join(f"    {{{','.join(map(str, row))}}},\n" for row in rows)
    path.write_text(HEAD.format(**facts) + body + TAIL.format(**facts), encoding="ascii")


def save(path: Path, weights: Array) -> None:
    """The weights of a generation; the file is whole or not there."""
    content = BytesIO()
    np.save(content, weights)
    write_whole(path, [content.getvalue()])


def read_weights(path: Path) -> Array:
    """The weights of such a file."""
    rows = re.findall(r"^    \{([-\d,]+)\}", path.read_text(encoding="ascii"), re.MULTILINE)
    return np.array([list(map(int, row.split(","))) for row in rows], np.int16)


# --- the scripts ---------------------------------------------------------------------------------


def match(course: Course, folder: Path, first: int, second: int, pairs: int, nodes: int) -> None:
    """A match of two generations, from openings of two to six random plies."""
    players = [
        engine_of(course, folder / str(which) / "weights.npy" if which else None, course.options[0])
        for which in (first, second)
    ]
    scores: list[float] = []
    results: list[int] = []  # of the first player: 1 won, 0 drawn, -1 lost
    for pair in range(pairs):
        rng, opening = random.Random(pair), Board(course.game)
        for _ in range(rng.randint(2, 6)):
            opening.push(rng.choice(opening.safe_moves()))
        for turn in (0, 1):
            board = opening.copy()
            for engine in players:
                engine.clear()
            while not board.is_game_over():
                move = players[(board.ply + turn) % 2].search(board, nodes=nodes).move
                assert move is not None
                board.push(move)
            result = board.outcome_value() or 0
            results.append(result if (board.ply + turn) % 2 == 0 else -result)
        scores.append((2 + sum(results[-2:])) / 4)
    rating = rate(results.count(1), results.count(0), results.count(-1), scores)
    print(
        f"generation {first} against {second}: {rating.score:.1%} of {2 * pairs} games,"
        f" Elo {rating.elo:+.0f} ({rating.low:+.0f} to {rating.high:+.0f})"
    )


def keep_settings(folder: Path, settings: dict[str, Any]) -> None:
    """Notes what a folder is begun with; raises ValueError if that was something else."""
    path, text = folder / "settings.json", json.dumps(settings)
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, [text.encode()])
    elif path.read_text(encoding="ascii") != text:
        raise ValueError(
            f"{folder} was begun with other settings: {path.read_text(encoding='ascii')},"
            f" not {text}; delete it, or name another --folder"
        )


def train(course: Course, description: str, generations: int, shards: int, nodes: int) -> None:
    """The command line of a training script, with its defaults."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--generations", type=int, default=generations)
    parser.add_argument("--shards", type=int, default=shards, help=f"of {SHARD} games, in each")
    parser.add_argument("--nodes", type=int, default=nodes, help="a move")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--folder", type=Path, default=Path(f"build/train-{course.game}"))
    parser.add_argument("--out", type=Path, default=course.target)
    parser.add_argument(
        "--shipped", action="store_true", help="begin with the weights that are there"
    )
    parser.add_argument(
        "--match", type=int, nargs=2, metavar="N", help="let two generations play instead"
    )
    parser.add_argument("--pairs", type=int, default=100, help="of games in that match")
    arguments = parser.parse_args()
    folder: Path = arguments.folder
    if arguments.match:
        first, second = arguments.match
        match(course, folder, first, second, arguments.pairs, nodes=5_000)
        return
    path: Path | None = None
    names = ("seed", "shards", "nodes", "epochs", "shipped")
    settings = {name: vars(arguments)[name] for name in names}
    try:
        keep_settings(folder, {"version": course.version, **settings})
    except ValueError as error:
        parser.error(str(error))
    learned = course.first_weights(arguments.seed)
    if arguments.shipped:
        path = folder / "shipped.npy"
        if not path.exists():
            save(path, read_weights(course.target).astype(np.float32) / course.scale)
        learned = np.load(path)
    odds: dict[Path, float] = {}
    turns = 0
    for generation in range(1, arguments.generations + 1):
        here = folder / str(generation)
        seed = 1000 * arguments.seed + generation
        gather(course, here, arguments.shards, arguments.nodes, seed, path, arguments.processes)
        odds[here] = course.hand_odds if path is None else course.odds
        path = here / "weights.npy"
        turns += sum(part.stat().st_size for part in here.glob("?????.games")) // TURN.itemsize
        if not path.exists():
            pieces = Pieces(course, dict(list(odds.items())[-3:]))
            save(path, fit(pieces, learned, arguments.epochs, seed, arguments.processes))
        learned = np.load(path)
        print(f"generation {generation}: {path}", flush=True)
    begun = "the shipped weights" if arguments.shipped else "nothing"
    origin = f"from {begun}, seed {arguments.seed}, {turns} turns"
    write(course, course.rounded(learned), arguments.out, origin)
