"""Engines, boards and solvers made, used and dropped, again and again: no memory is lost."""

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
"""Rounds until every game had its solver, its threads and its batch some times: the largest that is
alive at once is what the allocator keeps for good."""
GROWTH = 5 << 20
RARE, RARER, RAREST = 61, 251, 509  # prime: the turn of every game comes


def resident() -> int:
    """Bytes of this process in memory."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def use(number: int) -> None:
    """Makes an engine and a board, searches and lets both go; now and then more than that."""
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
