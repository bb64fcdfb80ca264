"""Soak test: creates, uses and destroys engines, boards and solvers; memory must not grow."""

import gc
import os
from collections.abc import Iterator

import ttt
from hardening import Row
from ttt import Board, Engine
from ttt.batch import Batch
from ttt.search.mcts import mcts_search

PARTS = ("soak",)
QUICK = 0.02
ROUNDS = 100_000
WARM = 20_000
"""Rounds before memory is measured. By then each game has used its solver, threads and batch, and
the allocator has reached its peak, which it keeps."""
GROWTH = 5 << 20
RARE, RARER, RAREST = 61, 251, 509  # primes, so that every game gets each of them


def resident() -> int:
    """Resident memory of this process in bytes."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def use(number: int) -> None:
    """One round: an engine and a board, sometimes threads, a solver, a batch or a tree."""
    game = ttt.games()[number % len(ttt.games())]
    board = Board(game).playout(number % 50)
    for _ in range(len(board.moves) // 2 + 1):
        board.pop()
    engine = Engine(game, hash=1, threads=1 + (number % RARE == 0), solver=number % RAREST == 1)
    engine.search(board, nodes=40)
    if number % RARER == 2:
        Batch.of([board] * 20).playouts(2, number)
        mcts_search(board, 50, hash=1)


def check(part: str, scale: float) -> Iterator[Row]:
    rounds = max(1000, int(ROUNDS * scale))
    for number in range(min(WARM, rounds)):
        use(number)
    gc.collect()
    before = resident()
    for number in range(rounds):
        use(number)
    gc.collect()
    grown = resident() - before
    figure = f"{grown / 2**20:+.2f} MiB after {rounds:,} more rounds"
    yield Row("soak: create, search, destroy", figure, "under 5 MiB", grown < GROWTH)
