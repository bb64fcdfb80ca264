"""Trains the network of nine-board's proof search (`ttt train nineboard-solver`).

First on late positions that the solver has solved, in two rounds: positions solved without an
evaluation train the first network; positions solved with it train the second. Then on games of the
engine against itself, with TD(lambda) targets, lambda = 0.9, up to the next random move. The same
seed gives the same weights, up to rounding. The shipped weights were trained in three generations
of such games, played with this network as the engine's evaluation.
"""

import math
import random
import time
from array import array
from collections.abc import Callable
from pathlib import Path

from ttt.board import Board
from ttt.engine import Engine
from ttt.storage.weights import write_weights
from ttt_core.solvers.nineboard.solver import SHAPE, Solver, Trainer

NAME = "nineboard-solver"
VERSION = 3
OPENING = 10
"""At most this many random plies at the start of a game."""
RANDOM_MOVES = 0.02
"""The share of random moves after that."""
LAMBDA = 0.9
SCALE = 16
"""The score that stands for log-odds of 1."""
GAME_LENGTH = 40
"""Memory is reserved for this many positions per game."""
RARITY = (2500, 2000)
"""In each round: a position that took this many nodes is always added, others sometimes."""


def add_solved(
    trainer: Trainer,
    solver: Solver,
    positions: int,
    rarity: int,
    first: int,
    report: Callable[[str], None],
) -> None:
    """Solves random positions of 16 to 29 plies until there are enough samples."""
    began, game = time.process_time(), first
    while trainer.positions < positions:
        trainer.add_solved(solver.safe_moves(16 + game % 14, game), 25_000, rarity)
        game += 1
        if game % 100 == 0:
            solver.clear()
        if game % 1000 == 0:
            report(f"{trainer.positions:,} positions, {time.process_time() - began:.0f} s")


def play_game(
    engine: Engine, nodes: int, rng: random.Random
) -> tuple[list[int], list[float | None]]:
    """The moves of a game, played until its result is proven, and the target of each position: the
    probability that the side to move wins, None where there was no search."""
    board = Board("nineboard")
    engine.clear()
    for _ in range(rng.randint(1, OPENING)):
        safe = board.safe_moves()
        if safe:
            board.push(rng.choice(safe))
    searched: list[tuple[float, bool]] = []  # the chance by the search; whether its move was played
    result = 0.5
    while not board.is_game_over():
        found = engine.search(board, nodes=nodes)
        assert found.move is not None
        if found.proven:
            result = (1 + found.score.sign) / 2
            break
        others = board.safe_moves() if rng.random() < RANDOM_MOVES else []
        evaluation = found.score.evaluation or 0
        searched.append((1 / (1 + math.exp(-evaluation / SCALE)), not others))
        board.push(rng.choice(others) if others else found.move)
    targets: list[float | None] = [result]
    value = result
    for chance, played in reversed(searched):
        value = LAMBDA * (1 - value) + (1 - LAMBDA) * chance if played else chance
        targets.append(value)
    targets += [None] * (board.ply + 1 - len(targets))
    return [move.number for move in board.moves], targets[::-1]


def fit(trainer: Trainer, report: Callable[[str], None]) -> None:
    for loss, accuracy in trainer.fit(4, 0.05, trainer.positions // 20):
        report(f"loss {loss:.4f}, accuracy {accuracy:.2%}")


def train(
    positions: int, games: int, nodes: int, seed: int, out: Path, report: Callable[[str], None]
) -> None:
    """Trains on `positions` solved positions and on games with `nodes` nodes per move; writes
    the weights to `out`."""
    rows, units = SHAPE
    solver = Solver(False, 64, 1, array("h", [0]) * (rows * units))
    trainer = Trainer(solver, positions + GAME_LENGTH * games, seed)
    for generation, rarity in enumerate(RARITY, 1):
        trainer.clear()
        solver.clear()
        add_solved(trainer, solver, positions, rarity, generation * 10_000_000, report)
        fit(trainer, report)
    engine = Engine("nineboard", hash=1, solver=False)
    for game in range(games):
        trainer.add_game(*play_game(engine, nodes, random.Random(f"{seed}/{game}")))
        if game % 1000 == 0:
            report(f"{game:,} games: {trainer.positions - positions:,} positions")
    fit(trainer, report)
    write_weights(out, NAME, VERSION, trainer.rows, f"seed {seed}, {trainer.positions} positions")
