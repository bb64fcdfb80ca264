"""Learns what the nine-board solver starts from: `make train-nineboard-solver`.

First from late positions that the solver has decided, in two generations: positions decided without
any evaluation teach the first, whose search decides the positions that teach the second. Then from
games of the engine with itself, a few thousand nodes a move; what a position of a game should be
worth is a mean of what the searches from it on thought and of how the game ended, the nearer the
weightier (TD of lambda), and a random move breaks the chain. The same seed gives the same weights,
up to how the machine rounds. Writes src/ttt_core/solvers/nineboard/odds_weights.pxd; `make build`
then takes it in. The shipped ones come from games played with these weights themselves, which were
the engine's then, in three generations.
"""

import argparse
import math
import random
import struct
import time
import zlib
from pathlib import Path

from ttt import Board, Engine
from ttt_core.solvers.nineboard.solver import Solver, Trainer

TARGET = Path(__file__).parents[1] / "src/ttt_core/solvers/nineboard/odds_weights.pxd"
VERSION = 3
OPENING = 10  # random plies at most
BLUNDERS = 0.02  # of the moves are random
LAMBDA = 0.9
ODDS = 16  # a score of so much is a log-odd of 1
LONGEST = 40  # positions of a game, in the mean
HEAD = '''"""Weights of the log-odds that the proof search of nine-board starts from.

version {version}, seed {seed}, {positions} positions; the check is the CRC-32 of the weights as
little-endian 16-bit numbers, row by row.
"""

from libc.stdint cimport int16_t, uint32_t

cdef extern from *:
    """
    #include <stdint.h>
    enum {{ TTT_NINEBOARD_ODDS_VERSION = {version} }};
    static const uint32_t ttt_nineboard_odds_check = {check}u;
    static const int16_t ttt_nineboard_odds_weights[{rows}][{lanes}] = {{
'''
TAIL = '''    };
    """
    const int WEIGHTS_VERSION "TTT_NINEBOARD_ODDS_VERSION"
    const uint32_t WEIGHTS_CHECK "ttt_nineboard_odds_check"
    const int16_t LEARNED "ttt_nineboard_odds_weights"[][LANES]
'''


def gather(trainer: Trainer, solver: Solver, positions: int, rarity: int, first: int) -> None:
    """Decides random positions of 16 to 29 plies until enough samples are there."""
    began, game = time.process_time(), first
    while trainer.positions < positions:
        trainer.harvest(solver.safe_moves(16 + game % 14, game), 25_000, rarity)
        game += 1
        if game % 100 == 0:
            solver.clear()
        if game % 1000 == 0:
            print(
                f"{trainer.positions:,} positions, {time.process_time() - began:.0f} s", flush=True
            )


def play_game(
    engine: Engine, nodes: int, rng: random.Random
) -> tuple[list[int], list[float | None]]:
    """The moves of a game, played until its result is proven, and what each of its positions should
    be worth: the chance of the side to move, None where it was not searched."""
    board = Board("nineboard")
    engine.clear()
    for _ in range(rng.randint(1, OPENING)):
        safe = board.safe_moves()
        if safe:
            board.push(rng.choice(safe))
    thoughts: list[tuple[float, bool]] = []
    ended = 0.5
    while not board.is_game_over():
        found = engine.search(board, nodes=nodes)
        assert found.move is not None
        if found.proven:
            ended = (1 + found.score.sign) / 2
            break
        others = board.safe_moves() if rng.random() < BLUNDERS else []
        thoughts.append((1 / (1 + math.exp(-(found.score.evaluation or 0) / ODDS)), not others))
        board.push(rng.choice(others) if others else found.move)
    chances: list[float | None] = [ended]
    value = ended
    for thought, chosen in reversed(thoughts):
        value = LAMBDA * (1 - value) + (1 - LAMBDA) * thought if chosen else thought
        chances.append(value)
    chances += [None] * (board.ply + 1 - len(chances))
    return [move.number for move in board.moves], chances[::-1]


def write(rows: list[list[int]], path: Path, seed: int, positions: int) -> None:
    """The weights as a file that the core compiles in."""
    check = zlib.crc32(b"".join(struct.pack(f"<{len(row)}h", *row) for row in rows))
    head = HEAD.format(
        version=VERSION,
        seed=seed,
        positions=positions,
        check=check,
        rows=len(rows),
        lanes=len(rows[0]),
    )
    body = "".join(f"    {{{','.join(map(str, row))}}},\n" for row in rows)
    path.write_text(head + body + TAIL.replace("LANES", str(len(rows[0]))), encoding="ascii")


def fit(trainer: Trainer) -> None:
    for loss, right in trainer.fit(4, 0.05, trainer.positions // 20):
        print(f"loss {loss:.4f}, right {right:.2%}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--positions", type=int, default=100_000, help="decided by the solver")
    parser.add_argument("--games", type=int, default=36_000)
    parser.add_argument("--nodes", type=int, default=1_500, help="a move")
    parser.add_argument("--out", type=Path, default=TARGET)
    arguments = parser.parse_args()
    solver = Solver(False, 64)
    late, games = arguments.positions, arguments.games
    trainer = Trainer(solver, late + LONGEST * games, arguments.seed)
    for generation, rarity in enumerate((2500, 2000), 1):
        trainer.forget()
        solver.clear()
        gather(trainer, solver, late, rarity, generation * 10_000_000)
        fit(trainer)
    engine = Engine("nineboard", hash=1, solver=False)
    for game in range(games):
        trainer.take(*play_game(engine, arguments.nodes, random.Random(f"{arguments.seed}/{game}")))
        if game % 1000 == 0:
            print(f"{game:,} games: {trainer.positions - late:,} positions", flush=True)
    fit(trainer)
    write(trainer.rows, arguments.out, arguments.seed, trainer.positions)


if __name__ == "__main__":
    main()
