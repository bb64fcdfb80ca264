"""Ultimate: exact results at the end, under every rule option."""

import os
import random
from itertools import product
from typing import Any

import pytest

from support.reference import Reference, reference
from ttt import Board, Engine
from ttt.engine import make_solver

OPTIONS = [{"tie": tie, "won": won} for tie, won in product(("draw", "boards"), ("closed", "open"))]
LATE_POSITIONS = int(os.environ.get("TTT_LATE_POSITIONS", "40"))
PROVEN_GAMES = int(os.environ.get("TTT_PROVEN_GAMES", "6"))


def brute_force(position: Reference, known: dict[tuple[Any, ...], int]) -> int:
    """1, 0 or -1 for the side to move, by exhaustive search."""
    outcome = position.outcome()
    if outcome is not None:
        return 0 if outcome[0] is None else 1 if outcome[0] == position.turn else -1
    place = (*position.marks, *position.owners, position.board)
    if place not in known:
        best = -1
        for move in position.legal():
            child = position.copy()
            child.play(move)
            best = max(best, -brute_force(child, known))
            if best == 1:
                break
        known[place] = best
    return known[place]


def late_position(seed: int, options: dict[str, Any], free: int) -> tuple[Board, Reference]:
    """A running random game with at most this many playable cells."""
    rng = random.Random(seed)
    while True:
        board, slow = Board("ultimate", **options), reference("ultimate", **options)
        while not board.is_game_over():
            closed = [not slow._playable(i) for i in range(9)]  # type: ignore[attr-defined]
            if sum(mark == "." and not closed[i // 9] for i, mark in enumerate(slow.marks)) <= free:
                return board, slow
            move = rng.choice(board.safe_moves() or board.legal_moves)
            board.push(move)
            slow.play(move.number)


@pytest.mark.parametrize("options", OPTIONS)
def test_late_positions_as_brute_force_has_them(options: dict[str, Any]) -> None:
    names = {1: "win", 0: "draw", -1: "loss"}
    solver = make_solver("ultimate", 1, **options)
    seen = set()
    for seed in range(-(-LATE_POSITIONS // len(OPTIONS))):
        board, slow = late_position(seed, options, 7 + seed % 5)
        value = brute_force(slow, {})
        found = solver.solve(board, nodes=10_000_000)
        assert found.value == names[value], board.text()
        assert found.move is not None
        slow.play(found.move.number)
        assert -brute_force(slow, {}) == value, (board.text(), found.move)
        seen.add(value)
    assert len(seen) > 1


def brute_force_plies(position: Reference, known: dict[tuple[Any, ...], int]) -> int:
    """100 less the plies to a win, the plies to a loss less 100, or 0, by exhaustive search."""
    outcome = position.outcome()
    if outcome is not None:
        return 0 if outcome[0] is None else 100 if outcome[0] == position.turn else -100
    place = (*position.marks, *position.owners, position.board)
    if place not in known:
        best = -100
        for move in position.legal():
            child = position.copy()
            child.play(move)
            value = -brute_force_plies(child, known)
            best = max(best, value - (value > 0) + (value < 0))
        known[place] = best
    return known[place]


@pytest.mark.parametrize("selective", [False, True])
@pytest.mark.parametrize("options", OPTIONS)
def test_late_wins_and_losses_take_as_many_plies_as_brute_force_says(
    options: dict[str, Any], selective: bool
) -> None:
    engine = Engine("ultimate", hash=1, selective=selective, reduce=False, solver=False, **options)
    decided = 0
    for seed in range(LATE_POSITIONS):
        board, slow = late_position(1000 + seed, options, 5 + seed % 4)
        value = brute_force_plies(slow, {})
        engine.clear()
        score = engine.search(board, depth=9).score
        if value:
            assert score.exact, board.text()
        assert score.win_in == (100 - value if value > 0 else None), board.text()
        assert score.loss_in == (100 + value if value < 0 else None), board.text()
        decided += value != 0
    assert decided


@pytest.mark.parametrize("options", OPTIONS)
def test_a_proven_result_comes_true(options: dict[str, Any]) -> None:
    announced = 0
    engine = Engine("ultimate", hash=4, **options)
    for seed in range(PROVEN_GAMES):
        rng = random.Random(seed)
        board, promised, last = Board("ultimate", **options), 0, 81
        engine.clear()
        while not board.is_game_over():
            found = engine.search(board, nodes=3000)
            assert found.move is not None
            sign = 1 if board.turn == "x" else -1
            value = sign * (found.score.sign) if found.proven else None
            if board.ply < 16:
                board.push(rng.choice(board.legal_moves))
                continue
            if value and not promised:
                promised = value
                announced += 1
            if found.score.win_in is not None:
                last = min(last, board.ply + found.score.win_in)
            board.push(found.move)
        result = board.outcome_value()
        assert result is not None
        assert board.ply <= last, board.text()
        if promised:
            assert result * (1 if board.turn == "x" else -1) == promised
    assert announced
