"""Ultimate: the learned evaluation, and exact results at the end, under every rule option."""

import math
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
from ttt_core.training.ultimate import Lessons

np = pytest.importorskip("numpy")
import ultimate_twin as twin  # noqa: E402

PROJECT = Path(__file__).parents[1]
WEIGHTS = PROJECT / "src/ttt_core/evaluations/ultimate_weights.pxd"
OPTIONS = [{"tie": tie, "won": won} for tie, won in product(("draw", "boards"), ("closed", "open"))]
LATE_POSITIONS = int(os.environ.get("TTT_LATE_POSITIONS", "40"))
PROVEN_GAMES = int(os.environ.get("TTT_PROVEN_GAMES", "6"))


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
def test_learned_evaluation_as_its_twin_computes_it(options: dict[str, Any]) -> None:
    weights = learned().astype(int)
    engine = Engine("ultimate", hash=1, **options)
    boards = running_boards(100, 150, options)
    records = np.array([twin.record(board) for board in boards], twin.RECORD)
    lanes = np.pad(twin.spread(weights, twin.row_images()), ((0, 1), (0, 0)))
    sums = twin.features(records).astype(int) @ lanes[: twin.PLAIN]
    sums += lanes[twin.class_rows(records)].sum(1)
    odds = (np.maximum(sums, 0) @ twin.signs().astype(int)).tolist()
    assert len(set(odds)) > 100
    for board, value in zip(boards, odds, strict=True):
        assert engine.evaluate(board) == int(value * 100 / 1024), board.text()


def test_the_weights_are_those_that_were_checked() -> None:
    rows = learned()
    check = zlib.crc32(b"".join(struct.pack(f"<{len(row)}h", *row.tolist()) for row in rows))
    assert rows.shape == (twin.ROWS, twin.UNITS)
    assert (4, check) == core.WEIGHTS
    assert WEIGHTS.stat().st_size < 1_000_000


def test_weights_of_another_shape_are_refused() -> None:
    board = Board("ultimate")
    ruleset = core.Ruleset(board.ruleset.options, lambda options: board.ruleset.moves)
    with pytest.raises(ValueError, match="6349 rows of 16"):
        core.take_weights(ruleset, np.zeros((6349, 8), np.int16))
    core.take_weights(ruleset, np.zeros((6349, 16), np.int16))
    assert core.Engine(ruleset, 1).evaluate(Board("ultimate"), 1) == 0


# --- learning ------------------------------------------------------------------------------------

TURN = np.dtype([("move", np.uint8), ("kind", np.uint8), ("score", np.int16)])
BY_LOT, CHOSEN, STRAY, ENDED = range(4)


def games_of(options: dict[str, Any], seed: int = 1) -> list[Any]:
    """Games of the engine with itself, each an array of turns."""
    engine = Engine("ultimate", hash=1, **options)
    turns = np.frombuffer(core.play_games(engine.core, 12, seed, 60, 6, 0.1, 1), TURN)
    return list(np.split(turns, 1 + np.flatnonzero(turns["kind"] == ENDED)))[:-1]


@pytest.mark.parametrize("options", OPTIONS)
def test_games_with_itself_are_games(options: dict[str, Any]) -> None:
    games = games_of(options)
    assert len(games) == 12
    for turns in games:
        board, rules = Board("ultimate", **options), reference("ultimate", **options)
        for turn in turns[:-1]:
            assert turn["move"] in rules.legal()
            rules.play(int(turn["move"]))
            board.push(board.ruleset.moves[turn["move"]])
        kinds = turns["kind"][:-1].tolist()
        lots = kinds.count(BY_LOT)
        assert 1 <= lots <= 6
        assert set(kinds[lots:]) <= {CHOSEN, STRAY}
        result, told = board.result(), int(turns["score"][-1])
        if result is None:  # its end was seen before: a search to the end agrees
            result = {"win": 1, "draw": 0, "loss": -1}[
                make_solver("ultimate", **options).solve(board).value
            ]
        assert told == (result if board.turn == "x" else -result), board.text()


def test_games_with_itself_depend_on_the_seed_alone() -> None:
    first, again, other = (
        b"".join(turns.tobytes() for turns in games_of({}, seed)) for seed in (1, 1, 2)
    )
    assert first == again != other
    engine = Engine("ultimate", hash=1)
    for wrong in [(0, 1, 60, 6, 0.1, 1), (1, 1, 0, 6, 0.1, 1), (1, 1, 60, 0, 0.1, 1)]:
        with pytest.raises(ValueError, match="from 1 up"):
            core.play_games(engine.core, *wrong)
    with pytest.raises(ValueError, match="no evaluation 9"):
        core.play_games(engine.core, 1, 1, 60, 6, 0.1, 9)


def wanted(turns: Any, decay: float, odds: float) -> list[float]:
    """What the positions of a game should be worth to their side to move, by definition."""
    found = []
    for i, turn in enumerate(turns[:-1]):
        value, weight = 0.0, 1.0
        for j in range(i, len(turns)):
            sign = -1 if (j - i) % 2 else 1
            if j == len(turns) - 1:
                result = int(turns["score"][-1]) * (-1 if i % 2 else 1)
                value += weight * (1 + result) / 2
                break
            thought = 1 / (1 + math.exp(-sign * int(turns["score"][j]) / odds))
            if turns["kind"][j] != CHOSEN:
                value += weight * thought
                break
            value += weight * (1 - decay) * thought
            weight *= decay
        found.append(value)
        assert turn["move"] < 81
    return found


@pytest.mark.parametrize("options", OPTIONS)
def test_lessons_have_the_loss_and_the_slopes_of_the_twin(options: dict[str, Any]) -> None:
    rng = np.random.default_rng(3)
    weights = rng.normal(0, 0.1, (twin.ROWS, twin.UNITS)).astype(np.float32)
    lessons = Lessons(Board("ultimate", **options).ruleset.options)
    images, sign = twin.row_images(), twin.signs()
    lanes = np.pad(twin.spread(weights, images), ((0, 1), (0, 0))).astype(float)
    loss, positions, slopes = 0.0, 0, np.zeros((twin.ROWS, twin.UNITS))
    games = games_of(options)[:3]
    for turns in games:
        board = Board("ultimate", **options)
        for turn, want in zip(turns[:-1], wanted(turns, 0.8, 50.0), strict=True):
            if turn["kind"] != BY_LOT:
                records = np.array([twin.record(board)], twin.RECORD)
                active = [*np.flatnonzero(twin.features(records)[0]), *twin.class_rows(records)[0]]
                sums = lanes[active].sum(0)
                chance = 1 / (1 + math.exp(-(np.maximum(sums, 0) @ sign)))
                loss -= want * math.log(chance) + (1 - want) * math.log(1 - chance)
                slope = ((sums > 0) * sign * (chance - want)).reshape(8, twin.UNITS)
                for row in active:
                    if row < twin.ROWS:
                        for symmetry in range(8):
                            slopes[images[symmetry, row]] += slope[symmetry]
                positions += 1
            board.push(board.ruleset.moves[turn["move"]])
    found = np.zeros_like(weights)
    raw = np.concatenate(games).view(np.uint8)
    assert lessons.slopes(raw, weights, found, 0.8, 50.0)[0] == pytest.approx(loss, 1e-4)
    assert positions > 30
    assert np.abs(found - slopes).max() < 1e-3
    assert lessons.slopes(raw, weights, None, 0.8, 50.0)[1] == positions


def test_lessons_refuse_what_is_no_game() -> None:
    lessons, weights = Lessons((0, 0)), np.zeros((twin.ROWS, twin.UNITS), np.float32)
    turns = games_of({})[0].copy()
    for wrong, reason in [
        (turns[:-1], "no end"),
        (turns[:0], "no end"),
        (np.concatenate([turns[:1], turns]), "cannot be played"),
    ]:
        with pytest.raises(ValueError, match=reason):
            lessons.slopes(wrong.view(np.uint8), weights, None, 0.9, 80.0)
    turns["move"][0] = 200
    with pytest.raises(ValueError, match="cannot be played"):
        lessons.slopes(turns.view(np.uint8), weights, None, 0.9, 80.0)
    with pytest.raises(ValueError, match="whole turns"):
        lessons.slopes(turns.view(np.uint8)[:-1], weights, None, 0.9, 80.0)
    with pytest.raises(ValueError, match="6349 rows of 16"):
        lessons.slopes(turns.view(np.uint8), weights[1:], None, 0.9, 80.0)


def test_training_learns_goes_on_and_plays(tmp_path: Path) -> None:
    """Two small generations: the loss falls, nothing is done twice, and they can play a match."""
    out = tmp_path / "weights.pxd"
    command = [sys.executable, str(PROJECT / "bench/train_ultimate.py"), "--folder", str(tmp_path)]
    small = ["--shards", "1", "--nodes", "20", "--generations", "2", "--processes", "2"]
    first = subprocess.run(
        [*command, *small, "--epochs", "3", "--out", str(out)], capture_output=True, text=True
    )
    assert first.returncode == 0, first.stderr
    losses = [float(loss) for loss in re.findall(r"loss (\d\.\d+)", first.stdout)]
    assert len(losses) == 6
    assert losses[0] > losses[2]  # of each generation the last is the best
    assert losses[3] > losses[5]
    weights = out.read_text(encoding="ascii")
    assert len(re.findall(r"^    \{", weights, re.MULTILINE)) == twin.ROWS
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
