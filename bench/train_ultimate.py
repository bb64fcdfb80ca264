"""Learns the evaluation of ultimate from games of the engine with itself: `make train-ultimate`.

A generation plays games at few nodes a move and fits weights to them and to those of the two
generations before; the next plays with these. The first plays with the evaluation `open-lines`.
Games begin with some random plies and have random moves in between, under all rule options. What is
done is not done again: `--folder` has a file of positions for each hundred games (RECORD says how a
position is written) and the weights of each generation; to begin anew, delete it. The same seed
gives the same games and, up to how the machine rounds, the same weights, however many processes
play. The weights go to src/ttt_core/evaluations/ultimate_weights.pxd, which `make build` takes in;
src/ttt_core/evaluations/ultimate_model.pxd says what they mean.

What a position should be worth is a mean of what the searches from it on thought and of how the
game ended, the nearer the weightier (TD of lambda); a random move breaks the chain.

    bench/train_ultimate.py --folder F --match 0 4    generation 4 against `open-lines` (0), in Elo
"""

import argparse
import os
import random
import re
import struct
import time
import zlib
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ttt import Board, Engine
from ttt.rating import rate
from ttt_core.games.ultimate import Ruleset, take_weights

Array = npt.NDArray[Any]

VERSION = 3
UNITS = 16
SCALE = 1024
TARGET = Path(__file__).parents[1] / "src/ttt_core/evaluations/ultimate_weights.pxd"
RECORD = np.dtype(
    [
        ("marks", np.int8, 81),  # 0 nobody's, 1 of the side to move, 2 of the other side
        ("owners", np.int8, 9),  # of the boards, likewise
        ("force", np.int8),  # the board in force, 9 for any
        ("tie", np.int8),  # 1: the count of boards decides
        ("won", np.int8),  # 1: won boards stay open
        ("score", np.int16),  # of the search, for the side to move
        ("result", np.int8),  # of the game, for the side to move: 1, 0, -1
        ("chosen", np.int8),  # 0: the next move was a random one
        ("last", np.int8),  # 1: of its game
    ]
)
OPTIONS = [("draw", "closed")] * 5 + [("boards", "closed"), ("draw", "open"), ("boards", "open")]
SHARD = 100  # games
OPENING = 14  # random plies at most
BLUNDERS = (0.08, 0.05, 0.02, 0.0)  # of the moves are random, from shard to shard in turn
LAMBDA = 0.85
ODDS = 80  # a score of so much is a log-odd of 1, for searches see more than the evaluation
HAND_ODDS = 120  # of the evaluation `open-lines`
HELD = 20_000  # positions that are not learned from, or a tenth
BATCH = 4096
RATE = 2e-3

# --- games --------------------------------------------------------------------------------------


def record(board: Board, score: int, chosen: bool) -> tuple[Any, ...]:
    """A position as RECORD has it; the side to move is noted in place of the result."""
    marks, force, owners = board.picture()
    digits = str.maketrans(".xo" if board.turn == "x" else ".ox", "\0\1\2")
    return (
        np.frombuffer(marks.translate(digits).encode(), np.int8),
        np.frombuffer(owners.translate(digits).encode(), np.int8),
        9 if force == "*" else force,
        board.options["tie"] == "boards",
        board.options["won"] == "open",
        score,
        1 if board.turn == "x" else -1,
        chosen,
        0,
    )


def play_game(
    engine: Engine, board: Board, nodes: int, blunders: float, rng: random.Random
) -> list[Any]:
    """The positions of a game, played until it is over or its result proven."""
    found: list[Any] = []
    engine.clear()
    for _ in range(rng.randint(1, OPENING)):
        if not board.is_game_over():
            board.push(rng.choice(board.safe_moves() or board.legal_moves))
    result = board.result()
    while result is None:
        search = engine.search(board, nodes=nodes)
        if search.proven or search.move is None:
            result = (search.score > 0) - (search.score < 0)
            break
        others = board.safe_moves() if rng.random() < blunders else []
        found.append(record(board, search.score, not others))
        board.push(rng.choice(others) if others else search.move)
        result = board.result()
    for_x = result if board.turn == "x" else -result
    return [
        (*row[:6], row[6] * for_x, row[7], number == len(found))
        for number, row in enumerate(found, 1)
    ]


def make_engine(weights: Array | None, tie: str, won: str) -> Engine:
    """An engine with weights of its own; without any it plays by `open-lines`."""
    engine = Engine("ultimate", 1, 1, "open-lines", solver=False, tie=tie, won=won)
    if weights is not None:
        engine = Engine("ultimate", 1, 1, solver=False, tie=tie, won=won)
        shared = engine.core.ruleset
        engine.core = type(engine.core)(Ruleset(shared.options, lambda _: shared.moves), 1)
        take_weights(engine.core.ruleset, weights)
    return engine


@cache
def engines(path: Path | None) -> dict[tuple[str, str], Engine]:
    """An engine for every choice of options, with the weights of a file."""
    weights = None if path is None else rounded(np.load(path))
    return {(tie, won): make_engine(weights, tie, won) for tie, won in set(OPTIONS)}


def play_shard(path: Path, nodes: int, seed: int, shard: int, weights: Path | None) -> int:
    """Plays a hundred games into a file; returns how many positions they have."""
    rng = random.Random(f"{seed}/{shard}")
    found: list[Any] = []
    for _ in range(SHARD):
        tie, won = rng.choice(OPTIONS)
        board = Board("ultimate", tie=tie, won=won)
        blunders = BLUNDERS[shard % len(BLUNDERS)]
        found += play_game(engines(weights)[tie, won], board, nodes, blunders, rng)
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        np.save(file, np.array(found, RECORD))
    part.rename(path)
    return len(found)


def gather(
    folder: Path, games: int, nodes: int, seed: int, weights: Path | None, processes: int
) -> None:
    """Plays what is missing of so many games, a file each hundred."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {shard: folder / f"{shard:05}.npy" for shard in range(games // SHARD)}
    began, positions = time.monotonic(), 0
    with ProcessPoolExecutor(processes) as pool:
        todo = [
            pool.submit(play_shard, path, nodes, seed, shard, weights)
            for shard, path in paths.items()
            if not path.exists()
        ]
        for done, future in enumerate(as_completed(todo), 1):
            positions += future.result()
            if done % 20 == 0 or done == len(todo):
                print(
                    f"generation {folder.name}: {done} of {len(todo)} hundred games,"
                    f" {positions:,} positions, {time.monotonic() - began:.0f} s",
                    flush=True,
                )


# --- features: the numpy twin of ultimate_model.pxd ----------------------------------------------

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
SIZES = [81, 81, 81, 81] + [9] * 10 + [10] + [9] * 4 + [38, 41]
"""Of the groups of features up to the classes, in the order of their rows."""
PLAIN = sum(SIZES)
CLASSES = 581
ROWS = PLAIN + 10 * CLASSES


def completing(stones: Array) -> Array:
    """The cells that complete a line, be they empty or not; the last axis is nine cells."""
    found = np.zeros_like(stones)
    for line in LINES:
        for i in range(3):
            found[..., line[i]] |= stones[..., line[i - 1]] & stones[..., line[i - 2]]
    return found


def lined(stones: Array) -> Array:
    """Whether nine cells have a line."""
    found = np.zeros(stones.shape[:-1], bool)
    for a, b, c in LINES:
        found |= stones[..., a] & stones[..., b] & stones[..., c]
    return found


@cache
def board_classes() -> Array:
    """The class of each pattern: the sum of its cells' digits times powers of 3."""
    found = np.zeros(3**9, np.int64)
    seen: dict[tuple[int, ...], int] = {}
    lines = [sum(1 << cell for cell in line) for line in LINES]
    for mine, theirs in product(range(512), repeat=2):
        room = 511 & ~(mine | theirs)
        ours = [(line & mine).bit_count() - 4 * (line & theirs).bit_count() for line in lines]
        if mine & theirs or 3 in ours or -12 in ours:
            continue
        wins = [
            {line & room for line, worth in zip(lines, ours, strict=True) if worth == two}
            for two in (2, -8)
        ]
        kind = (*map(len, wins), ours.count(1), ours.count(-4), ours.count(0), room.bit_count())
        digits = sum(((mine >> i & 1) + 2 * (theirs >> i & 1)) * 3**i for i in range(9))
        found[digits] = seen.setdefault(kind, len(seen))
    assert len(seen) == CLASSES
    return found


def class_rows(records: Array) -> Array:
    """Ten rows a position, of the classes of its nine boards and of the board in force; ROWS where
    there is none."""
    total = len(records)
    marks = records["marks"].reshape(total, 9, 9)
    fought = (records["owners"] == 0) & (marks == 0).any(2)
    classes = board_classes()[marks.astype(np.int64) @ 3 ** np.arange(9)]
    boards = np.where(fought, PLAIN + CLASSES * np.arange(9) + classes, ROWS)
    force = np.minimum(records["force"], 8)[:, None].astype(np.int64)
    here = np.take_along_axis(fought, force, 1)[:, 0] & (records["force"] < 9)
    in_force = PLAIN + 9 * CLASSES + np.take_along_axis(classes, force, 1)[:, 0]
    return np.column_stack([boards, np.where(here, in_force, ROWS)]).astype(np.uint16)


def features(records: Array) -> Array:
    """A row of PLAIN zeros and ones for each position."""
    total = len(records)
    marks = records["marks"].reshape(total, 9, 9)
    room = marks == 0
    mine, theirs = records["owners"] == 1, records["owners"] == 2
    owned = mine | theirs
    closed = ~room.any(2) | (owned & (records["won"] == 0)[:, None])
    fought = ~owned & ~closed
    stones = [(marks == side) & fought[:, :, None] for side in (1, 2)]
    wins = [completing(side) & room & fought[:, :, None] for side in stones]
    alive = [fought & lined((marks == side) | room) for side in (1, 2)]
    decisive = [completing(side) & live for side, live in zip((mine, theirs), alive, strict=True)]
    every = np.arange(total)
    force = np.zeros((total, 10), bool)
    force[every, records["force"]] = True
    in_force = [(group * force[:, :9, None]).any(1) for group in (*stones, *wins)]
    lead = np.zeros((total, 38), bool)
    lead[every, 19 * records["tie"] + 9 + mine.sum(1) - theirs.sum(1)] = True
    stage = np.zeros((total, 41), bool)
    stage[every, (~room).sum((1, 2)) // 2] = True
    groups = [*stones, *wins, fought & ~alive[0], fought & ~alive[1], mine, theirs]
    groups += [closed & ~owned, owned & ~closed, *decisive]
    groups += [boards & cells.any(2) for boards, cells in zip(decisive, wins, strict=True)]
    groups += [force, *in_force, lead, stage]
    return np.concatenate([group.reshape(total, -1) for group in groups], 1)


INPUT = np.dtype([("plain", np.uint8, (PLAIN + 7) // 8), ("classes", np.uint16, 10)])
"""A position for the fit: its features, eight a byte, and the rows of its classes."""


def packed(records: Array) -> Array:
    found = np.zeros(len(records), INPUT)
    for i in range(0, len(records), HELD):
        found["plain"][i : i + HELD] = np.packbits(features(records[i : i + HELD]), axis=1)
        found["classes"][i : i + HELD] = class_rows(records[i : i + HELD])
    return found


def unpacked(inputs: Array) -> tuple[Array, Any]:
    """The features as a matrix, and those of the classes as a sparse one of ROWS + 1 columns."""
    from scipy.sparse import csr_array  # the features alone are tested without it

    plain = np.unpackbits(inputs["plain"], axis=1)[:, :PLAIN].astype(np.float32)
    columns = inputs["classes"].ravel().astype(np.int32)
    ends = np.arange(0, len(columns) + 1, 10, dtype=np.int32)
    ones = np.ones(len(columns), np.float32)
    return plain, csr_array((ones, columns, ends), shape=(len(inputs), ROWS + 1))


def row_images() -> Array:
    """Where each of the eight symmetries sends each row."""
    found = np.tile(np.arange(ROWS), (8, 1))
    for symmetry in range(8):
        grid = np.arange(9).reshape(3, 3)
        grid = grid.T if symmetry & 4 else grid
        grid = grid[::-1] if symmetry & 2 else grid
        cells = (grid[:, ::-1] if symmetry & 1 else grid).ravel()
        first = 0
        for size in SIZES:
            if size == 81:
                found[symmetry, first : first + 81] = (
                    first + (9 * cells[:, None] + cells[None, :]).ravel()
                )
            elif size in (9, 10):
                found[symmetry, first : first + 9] = first + cells
            first += size
        found[symmetry, first : first + 9 * CLASSES] = (
            first + (CLASSES * cells[:, None] + np.arange(CLASSES)).ravel()
        )
    return found


# --- weights -------------------------------------------------------------------------------------


def targets(records: Array, odds: float) -> Array:
    """What each position should be worth: a chance to win for the side to move."""
    thought = (1 / (1 + np.exp(-records["score"] / odds))).tolist()
    ended = ((records["result"] + 1) / 2).tolist()
    chosen, last = records["chosen"].tolist(), records["last"].tolist()
    found = np.zeros(len(records), np.float32)
    value = 0.0
    for i in range(len(records) - 1, -1, -1):
        value = ended[i] if last[i] else 1 - value
        value = LAMBDA * value + (1 - LAMBDA) * thought[i] if chosen[i] else thought[i]
        found[i] = value
    return found


def signs() -> Array:
    """Of the lanes of all symmetries: half of the units are added, half taken off."""
    return np.tile(np.repeat(np.array([1, -1], np.float32), UNITS // 2), 8)


def spread(weights: Array, images: Array) -> Array:
    """The lanes that the symmetries make of the units."""
    return np.concatenate([weights[image] for image in images], 1)


def lane_sums(inputs: tuple[Array, Any], lanes: Array) -> Array:
    plain, classes = inputs
    none = np.zeros((1, lanes.shape[1]), lanes.dtype)
    found: Array = plain @ lanes[:PLAIN] + classes @ np.concatenate([lanes, none])
    return found


def first_weights(seed: int) -> Array:
    """Random ones; pairs of units are alike, so that every position is worth nothing."""
    half = np.random.default_rng(seed).normal(0, 0.03, (ROWS, UNITS // 2)).astype(np.float32)
    half[PLAIN:] = 0
    return np.concatenate([half, half], 1)


def slope_of(inputs: tuple[Array, Any], slopes: Array, images: Array) -> Array:
    """The derivatives by the units from those by the sums of the lanes."""
    plain, classes = inputs
    by_lane = (classes.T @ slopes)[:ROWS]
    by_lane[:PLAIN] = plain.T @ slopes
    found = np.zeros((ROWS, UNITS), np.float32)
    for symmetry, image in enumerate(images):
        found[image] += by_lane[:, symmetry * UNITS : (symmetry + 1) * UNITS]
    return found


def fit(rows: Array, wanted: Array, start: Array, epochs: int, seed: int) -> Array:
    """Weights by Adam on the logarithmic loss, from those of the generation before on. The last
    positions, which are of games apart, are held back to measure the loss."""
    rng = np.random.default_rng(seed)
    weights = start.copy()
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    images, sign = row_images(), signs()
    apart, size = min(HELD, len(rows) // 10), min(BATCH, len(rows) // 10)
    held, learned = np.arange(len(rows))[-apart:], rng.permutation(len(rows) - apart)
    steps, step = epochs * (len(learned) // size), 0
    for epoch in range(epochs):
        began = time.monotonic()
        rng.shuffle(learned)
        for i in range(len(learned) // size):
            which = learned[i * size : (i + 1) * size]
            inputs = unpacked(rows[which])
            sums = lane_sums(inputs, spread(weights, images))
            chance = 1 / (1 + np.exp(-np.maximum(sums, 0) @ sign))
            error = (chance - wanted[which]) / size
            slope = slope_of(inputs, (sums > 0) * (error[:, None] * sign), images)
            step += 1
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope * slope - square)
            weights -= (
                (RATE * (1 - 0.98 * step / steps))
                * (mean / (1 - 0.9**step))
                / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
            )
        sums = lane_sums(unpacked(rows[held]), spread(weights, images))
        chance = 1 / (1 + np.exp(-np.maximum(sums, 0) @ sign))
        want = wanted[held]
        loss = -np.mean(want * np.log(chance + 1e-9) + (1 - want) * np.log(1 - chance + 1e-9))
        print(
            f"epoch {epoch + 1}: loss {loss:.4f} on positions not learned from,"
            f" {time.monotonic() - began:.0f} s",
            flush=True,
        )
    return weights


def rounded(weights: Array) -> Array:
    """The weights as the core takes them."""
    return np.ascontiguousarray(np.round(np.clip(weights, -31, 31) * SCALE), np.int16)


HEAD = '''"""Weights of the learned evaluation of ultimate: made by `make train-ultimate`.

version {version}, seed {seed}, {positions} positions; the check is the CRC-32 of the weights as
little-endian 16-bit numbers, row by row.
"""

from libc.stdint cimport int16_t, uint32_t

cdef extern from *:
    """
    #include <stdint.h>
    enum {{ TTT_ULTIMATE_VERSION = {version}, TTT_ULTIMATE_UNITS = {units} }};
    static const uint32_t ttt_ultimate_check = {check}u;
    static const int16_t ttt_ultimate_weights[{rows}][{units}] = {{
'''
TAIL = '''    }};
    """
    const int WEIGHTS_VERSION "TTT_ULTIMATE_VERSION"
    const uint32_t WEIGHTS_CHECK "ttt_ultimate_check"
    const int16_t LEARNED "ttt_ultimate_weights"[][{units}]

cdef enum:
    UNITS = {units}
'''


def write(weights: Array, path: Path, seed: int, positions: int) -> None:
    """The weights as a file that the core compiles in."""
    rows = weights.tolist()
    facts = {
        "version": VERSION,
        "seed": seed,
        "positions": positions,
        "check": zlib.crc32(b"".join(struct.pack(f"<{len(row)}h", *row) for row in rows)),
        "rows": len(rows),
        "units": len(rows[0]),
    }
    body = "".join(f"    {{{','.join(map(str, row))}}},\n" for row in rows)
    path.write_text(HEAD.format(**facts) + body + TAIL.format(**facts), encoding="ascii")


def read_weights(path: Path) -> Array:
    """The weights of such a file."""
    rows = re.findall(r"^    \{([-\d,]+)\}", path.read_text(encoding="ascii"), re.MULTILINE)
    return np.array([list(map(int, row.split(","))) for row in rows], np.int16)


def read_games(folder: Path) -> Array:
    return np.concatenate([np.load(path) for path in sorted(folder.glob("?????.npy"))])


def match(folder: Path, first: int, second: int, pairs: int, nodes: int) -> None:
    """A match of two generations, from openings of two to six random plies."""
    players = [
        engines(folder / str(which) / "weights.npy" if which else None)["draw", "closed"]
        for which in (first, second)
    ]
    scores = []
    for pair in range(pairs):
        rng, opening = random.Random(pair), Board("ultimate")
        for _ in range(rng.randint(2, 6)):
            opening.push(rng.choice(opening.safe_moves()))
        score = 0.0
        for turn in (0, 1):
            board = opening.copy()
            for engine in players:
                engine.clear()
            while not board.is_game_over():
                move = players[(board.ply + turn) % 2].search(board, nodes=nodes).move
                assert move is not None
                board.push(move)
            result = board.result() or 0
            score += (1 + (result if (board.ply + turn) % 2 == 0 else -result)) / 4
        scores.append(score)
    won = round(2 * sum(scores))
    rating = rate(won, 0, 2 * pairs - won, scores)
    print(
        f"generation {first} against {second}: {rating.score:.1%} of {2 * pairs} games,"
        f" Elo {rating.elo:+.0f} ({rating.low:+.0f} to {rating.high:+.0f})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--generations", type=int, default=6)
    parser.add_argument("--games", type=int, default=100_000, help="in each generation")
    parser.add_argument("--nodes", type=int, default=800, help="a move")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--folder", type=Path, default=Path("build/train-ultimate"))
    parser.add_argument("--out", type=Path, default=TARGET)
    parser.add_argument(
        "--match", type=int, nargs=2, metavar="N", help="let two generations play instead"
    )
    parser.add_argument("--pairs", type=int, default=100, help="of games in that match")
    arguments = parser.parse_args()
    if arguments.match:
        first, second = arguments.match
        match(arguments.folder, first, second, arguments.pairs, nodes=5_000)
        return
    path: Path | None = None
    learned = first_weights(arguments.seed)
    kept: list[tuple[Array, Array]] = []
    for generation in range(1, arguments.generations + 1):
        folder = arguments.folder / str(generation)
        seed = 1000 * arguments.seed + generation
        gather(folder, arguments.games, arguments.nodes, seed, path, arguments.processes)
        records = read_games(folder)
        odds = HAND_ODDS if generation == 1 else ODDS
        kept = [*kept[-2:], (packed(records), targets(records, odds))]
        path = folder / "weights.npy"
        if not path.exists():
            rows, wanted = map(np.concatenate, zip(*kept, strict=True))
            np.save(path, fit(rows, wanted, learned, arguments.epochs, seed))
        learned = np.load(path)
        print(f"generation {generation}: {path}", flush=True)
    positions = sum(len(rows) for rows, _ in kept)
    write(rounded(learned), arguments.out, arguments.seed, positions)


if __name__ == "__main__":
    main()
