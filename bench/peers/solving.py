"""Exact Connect Four scores against BitBully without its book: positions from endgame to opening,
and the published sets if present."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

from connect4 import Ours, Theirs, read

from peers.measure import OURS, Bench, Row, Timing
from ttt import Board, Engine

SEED, EACH = 1, 10
PLIES = (32, 26, 20, 16, 12, 8)
SETS = {"L3_R1": 50, "L2_R1": 50, "L2_R2": 50, "L1_R1": 50, "L1_R2": 8, "L1_R3": 3}
COUNTED = "a position with an empty table, which is cleared off the clock"


def positions(plies: int) -> Iterator[str]:
    """Positions of seeded random games that nobody has won yet."""
    random = Random(1000 * SEED + plies)
    while True:
        board = Board("connect4")
        while board.ply < plies and not board.is_game_over():
            board.push(random.choice(board.legal_moves))
        if not board.is_game_over():
            yield "".join(board.moves)


class Task:
    """Positions to solve one by one; all contenders must find the same scores."""

    def __init__(self, moves: list[str]) -> None:
        self.moves = moves
        self.scores: list[int] = []

    def once(self, player: Any) -> float:
        """The CPU seconds spent solving."""
        spent, scores = 0.0, []
        for moves in self.moves:
            player.clear()
            position = player.prepare(moves)
            began = process_time()
            score = player.solve(position)
            spent += process_time() - began
            scores.append(score)
        if self.scores and scores != self.scores:
            raise SystemExit(f"connect4: scores {scores} and {self.scores} differ for {self.moves}")
        self.scores = scores
        return spent

    def sample(self, player: Any, seconds: float) -> float:
        """Milliseconds per position, of the fastest run in a sample."""
        best, end = self.once(player), process_time() + seconds
        while process_time() < end:
            best = min(best, self.once(player))
        return 1000 * best / len(self.moves)


class WholeAnswer:
    """`engine.solve` with its default table: the score and every best move."""

    def __init__(self) -> None:
        self.engine = Engine("connect4")

    def clear(self) -> None:
        self.engine.clear()

    def prepare(self, moves: str) -> Board:
        board = Board("connect4")
        board.push_moves(moves)
        return board

    def solve(self, board: Board) -> int | None:
        return self.engine.solve(board).game_score


def measure(bench: Bench, sets: Path) -> None:
    players: dict[str, Any] = {OURS: Ours()}
    if bench.peer("bitbully", "BitBully"):
        players["BitBully, no book"] = Theirs()
    tasks = {}
    for plies in PLIES:
        found = positions(plies)
        tasks[f"solve, ply {plies}"] = [next(found) for _ in range(EACH)]
    for name, size in SETS.items():
        if (sets / f"{name}.txt").exists():
            tasks[f"solve, published {name}, first {size}"] = [
                moves for moves, _ in read(sets, name)[:size]
            ]
    easy = Task(["4455"])
    whole = {**players, OURS: WholeAnswer()}
    note = "ttt also finds every best move, through a board and an engine; BitBully the score only"
    bench.measure(
        Row("call: easy solve after clear", "connect4", "ms", COUNTED, {}, note),
        {who: partial(easy.sample, one) for who, one in whole.items()},
    )
    for name, moves in tasks.items():
        task = Task(moves)
        timings: dict[str, Timing] = {
            who: partial(task.sample, one) for who, one in players.items()
        }
        bench.measure(Row(name, "connect4", "ms", COUNTED, {}), timings, rounds=3)
