"""Exact scores of Connect Four beside BitBully without its book: positions from endgame to opening,
and the published sets where they are."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

from connect4 import Ours, Theirs, read

from peers.measure import OURS, Bench, Row
from ttt import Board

SEED, EACH = 1, 10
PLIES = (34, 28, 22, 18, 14, 10)
SETS = {"L3_R1": 200, "L2_R1": 200, "L2_R2": 60, "L1_R1": 60, "L1_R2": 8, "L1_R3": 3}
ENOUGH = 15.0
COUNTED = "a position with an empty table; cleared outside the clock"


def positions(plies: int) -> Iterator[str]:
    """Random games that nobody has won yet, seeded: the first ten of a length."""
    random = Random(1000 * SEED + plies)
    while True:
        board = Board("connect4")
        while board.ply < plies and not board.is_game_over():
            board.push(random.choice(board.legal_moves))
        if not board.is_game_over():
            yield "".join(board.moves)


class Rounds:
    """Both solve every position, in turn; a contender's turn tells its mean of the round."""

    def __init__(self, players: dict[str, Any], moves: list[str]) -> None:
        self.players, self.moves = players, moves
        self.spent: dict[str, float] = {}

    def play(self) -> None:
        self.spent = dict.fromkeys(self.players, 0.0)
        for moves in self.moves:
            scores = set()
            for who, player in self.players.items():
                player.clear()
                position = player.prepare(moves)
                began = process_time()
                scores.add(player.solve(position))
                self.spent[who] += process_time() - began
            if len(scores) > 1:
                raise SystemExit(f"connect4 {moves}: the scores differ, {scores}")

    def turn(self, who: str) -> float:
        if who == OURS:
            self.play()
        return 1000 * self.spent[who] / len(self.moves)


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
    for name, moves in tasks.items():
        rounds = Rounds(players, moves)
        turns = {who: (lambda _, who=who, rounds=rounds: rounds.turn(who)) for who in players}
        bench.measure(Row(name, "connect4", "ms", COUNTED, {}), turns, enough=ENOUGH)  # type: ignore[arg-type]
