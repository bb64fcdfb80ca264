"""Ultimate: the learned evaluation, and exact results at the end, under every rule option."""

import importlib.util
import os
import random
import re
import struct
import subprocess
import sys
import zlib
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from reference import Reference, reference

from ttt import Board, Engine
from ttt.solve import make_solver
from ttt_core.games import ultimate as core

np = pytest.importorskip("numpy")
PROJECT = Path(__file__).parents[1]
WEIGHTS = PROJECT / "src/ttt_core/evaluations/ultimate_weights.pxd"
OPTIONS = [{"tie": tie, "won": won} for tie, won in product(("draw", "boards"), ("closed", "open"))]
LATE_POSITIONS = int(os.environ.get("TTT_LATE_POSITIONS", "40"))
PROVEN_GAMES = int(os.environ.get("TTT_PROVEN_GAMES", "6"))


@cache
def training() -> Any:
    """The training script: its features are computed by numpy, apart from the core's."""
    path = PROJECT / "bench/train_ultimate.py"
    spec = importlib.util.spec_from_file_location("train_ultimate", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def learned() -> Any:
    """The weights as the file has them."""
    rows = re.findall(r"^    \{([-\d,]+)\},$", WEIGHTS.read_text(encoding="ascii"), re.MULTILINE)
    return np.array([[int(number) for number in row.split(",")] for row in rows], np.int16)


def running_boards(seed: int, count: int, options: dict[str, Any]) -> list[Board]:
    """Positions out of random games."""
    found = []
    for i in range(count):
        board = Board("ultimate", **options).playout(seed + i)
        for _ in range(1 + (7 * i) % len(board.moves)):
            board.pop()
        found.append(board)
    return found


@pytest.mark.parametrize("options", OPTIONS)
def test_learned_evaluation_as_the_training_script_computes_it(options: dict[str, Any]) -> None:
    script, weights = training(), learned().astype(int)
    engine = Engine("ultimate", hash=1, **options)
    boards = running_boards(100, 150, options)
    records = np.array([script.record(board, 0, True) for board in boards], script.RECORD)
    lanes = np.pad(script.spread(weights, script.row_images()), ((0, 1), (0, 0)))
    sums = script.features(records).astype(int) @ lanes[: script.PLAIN]
    sums += lanes[script.class_rows(records)].sum(1)
    odds = (np.maximum(sums, 0) @ script.signs().astype(int)).tolist()
    assert len(set(odds)) > 100
    for board, value in zip(boards, odds, strict=True):
        assert engine.evaluate(board) == int(value * 100 / script.SCALE), board.text()


def test_the_weights_are_those_that_were_checked() -> None:
    rows = learned()
    check = zlib.crc32(b"".join(struct.pack(f"<{len(row)}h", *row.tolist()) for row in rows))
    assert rows.shape == (training().ROWS, training().UNITS)
    assert (training().VERSION, check) == core.WEIGHTS
    assert WEIGHTS.stat().st_size < 1_000_000


def test_weights_of_another_shape_are_refused() -> None:
    board = Board("ultimate")
    ruleset = core.Ruleset(board.ruleset.options, lambda options: board.ruleset.moves)
    with pytest.raises(ValueError, match="6349 rows of 16"):
        core.take_weights(ruleset, np.zeros((6349, 8), np.int16))
    core.take_weights(ruleset, np.zeros((6349, 16), np.int16))
    assert core.Engine(ruleset, 1).evaluate(Board("ultimate"), 1) == 0


def test_training_learns_goes_on_and_plays(tmp_path: Path) -> None:
    """Two small generations: the loss falls, nothing is done twice, and they can play a match."""
    out = tmp_path / "weights.pxd"
    command = [sys.executable, str(PROJECT / "bench/train_ultimate.py"), "--folder", str(tmp_path)]
    small = ["--games", "200", "--nodes", "40", "--generations", "2", "--processes", "2"]
    first = subprocess.run(
        [*command, *small, "--epochs", "6", "--out", str(out)], capture_output=True, text=True
    )
    assert first.returncode == 0, first.stderr
    losses = [float(loss) for loss in re.findall(r"loss (\d\.\d+)", first.stdout)]
    assert len(losses) == 12
    assert losses[-1] < 0.692
    weights = out.read_text(encoding="ascii")
    assert training().read_weights(out).shape == learned().shape
    for shard in (tmp_path / "2").glob("?????.npy"):
        assert np.load(shard).dtype == training().RECORD
    again = subprocess.run([*command, *small, "--out", str(out)], capture_output=True, text=True)
    assert (again.returncode, "loss" in again.stdout) == (0, False), again.stderr
    assert out.read_text(encoding="ascii") == weights
    match = subprocess.run(
        [*command, "--match", "2", "0", "--pairs", "1"], capture_output=True, text=True
    )
    assert "generation 2 against 0" in match.stdout, match.stderr


# --- exact results -------------------------------------------------------------------------------


def brute_force(position: Reference, known: dict[tuple[Any, ...], int]) -> int:
    """1, 0 or -1 for the side to move, by trying everything."""
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
    """A running random game with at most so many cells that can still be played."""
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


def test_a_proven_result_comes_true() -> None:
    announced = 0
    engine = Engine("ultimate", hash=4)
    for seed in range(PROVEN_GAMES):
        rng = random.Random(seed)
        board, promised = Board("ultimate"), 0
        engine.clear()
        while not board.is_game_over():
            found = engine.search(board, nodes=3000)
            assert found.move is not None
            sign = 1 if board.turn == "x" else -1
            value = sign * ((found.score > 0) - (found.score < 0)) if found.proven else None
            if value and not promised:
                promised = value
                announced += 1
            board.push(rng.choice(board.legal_moves) if board.ply < 8 else found.move)
        result = board.result()
        assert result is not None
        if promised:
            assert result * (1 if board.turn == "x" else -1) == promised
    assert announced
