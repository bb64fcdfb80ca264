"""Learned evaluations: their files are whole, the core computes what their twins define, games and
slopes are what they should be, and training goes on where it was."""

import math
import random
import re
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from itertools import chain, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.reference import reference
from ttt import Board, Engine
from ttt.engine import make_solver

PROJECT = Path(__file__).parents[1]
CASES: list[tuple[str, dict[str, Any]]] = [
    *(("nineboard", {"full": full}) for full in ("any", "draw")),
    *(
        ("ultimate", {"tie": tie, "won": won})
        for tie, won in product(("draw", "boards"), ("closed", "open"))
    ),
]
POINTS = {"nineboard": 16, "ultimate": 100}
"""Of a score, for a log-odd of 1."""
TURN = np.dtype([("move", np.uint8), ("kind", np.uint8), ("score", np.int16)])
BY_LOT, CHOSEN, STRAY, ENDED = range(4)

each_game = pytest.mark.parametrize("game", POINTS)
each_case = pytest.mark.parametrize(("game", "options"), CASES)


@cache
def bench(name: str) -> Any:
    sys.path.insert(0, str(PROJECT / "bench"))
    return import_module(name)


def course_of(game: str) -> Any:
    return bench(f"train_{game}").COURSE


def twin_of(game: str) -> Any:
    return import_module(f"support.{game}_twin")


def core_of(game: str) -> Any:
    return import_module(f"ttt_core.games.{game}")


@cache
def learned(game: str) -> Any:
    """The weights as the file has them."""
    return bench("learning").read_weights(course_of(game).target)


# --- the evaluation ------------------------------------------------------------------------------


@each_game
def test_the_weights_are_those_that_were_checked(game: str) -> None:
    course, weights = course_of(game), learned(game)
    check = zlib.crc32(b"".join(struct.pack("<16h", *row) for row in weights.tolist()))
    assert (course.version, check) == core_of(game).WEIGHTS
    assert weights.shape == (twin_of(game).ROWS, 16) == course.training.SHAPE
    assert course.target.stat().st_size < 1_000_000


def filled(board: Board) -> bool:
    marks, _, _ = board.picture()
    return any("." not in marks[i : i + 9] for i in range(0, 81, 9))


def random_games(game: str, options: dict[str, Any]) -> Iterator[list[tuple[Board, Any, bool]]]:
    """Random games: each position with the move that follows, and whether to look at it. Looked at
    are some positions in which a safe move is left and none wins, of nine-board all that have a
    full board, too."""
    share, games = (0.05, 250) if game == "nineboard" else (0.015, 400)
    for seed in range(games):
        rng, board, found = random.Random(seed), Board(game, **options), []
        while not board.is_game_over():
            wins = set(board.wins(board.turn))
            others = [move for move in board.legal_moves if move not in wins]
            safe = board.safe_moves()
            quiet = bool(safe) and len(others) == len(board.legal_moves)
            rare = game == "nineboard" and filled(board)
            if not others:
                break
            move = rng.choice(safe if safe and rng.random() < 0.5 else others)
            found.append((board.copy(), move, quiet and (rare or rng.random() < share)))
            board.push(move)
        yield found


@each_case
def test_the_core_computes_what_the_twin_defines(game: str, options: dict[str, Any]) -> None:
    engine = Engine(game, hash=1, **options)
    weights = learned(game).astype(int)
    values, full_boards = set(), 0
    for board in chain.from_iterable(
        (board for board, _, looked_at in turns if looked_at)
        for turns in random_games(game, options)
    ):
        odds = 0
        for rows in twin_of(game).image_rows(board):
            sums = np.maximum(weights[rows].sum(0), 0)
            odds += int(sums[:8].sum() - sums[8:].sum())
        value = int(POINTS[game] * odds / 1024)
        if game == "nineboard":
            value = max(-1000, min(1000, value))
        assert engine.evaluate(board) == value, board.text()
        values.add(value)
        full_boards += filled(board)
    assert len(values) > 50
    assert full_boards > 5


@each_game
def test_weights_of_another_shape_are_refused(game: str) -> None:
    board, core, rows = Board(game), core_of(game), twin_of(game).ROWS
    ruleset = core.Ruleset(board.ruleset.options, lambda options: board.ruleset.moves)
    with pytest.raises(ValueError, match=f"{rows} rows of 16"):
        core.take_weights(ruleset, np.zeros((rows, 8), np.int16))
    core.take_weights(ruleset, np.zeros((rows, 16), np.int16))
    assert core.Engine(ruleset, 1).evaluate(board, 1) == 0


# --- games and lessons ---------------------------------------------------------------------------


def games_of(game: str, options: dict[str, Any], seed: int = 1) -> list[Any]:
    """Games of the engine with itself, each an array of turns."""
    engine = Engine(game, hash=1, **options)
    found = core_of(game).play_games(engine.core, 12, seed, 60, 6, 0.1, 1)
    turns = np.frombuffer(found, TURN)
    return list(np.split(turns, 1 + np.flatnonzero(turns["kind"] == ENDED)))[:-1]


@each_case
def test_games_with_itself_are_games(game: str, options: dict[str, Any]) -> None:
    games = games_of(game, options)
    assert len(games) == 12
    for turns in games:
        board, rules = Board(game, **options), reference(game, **options)
        for turn in turns[:-1]:
            assert turn["move"] in rules.legal()
            rules.play(int(turn["move"]))
            board.push(board.ruleset.moves[turn["move"]])
        kinds = turns["kind"][:-1].tolist()
        lots = kinds.count(BY_LOT)
        assert 1 <= lots <= 6
        assert set(kinds[lots:]) <= {CHOSEN, STRAY}
        result, told = board.outcome_value(), int(turns["score"][-1])
        if result is None:  # its end was seen before: a search to the end agrees
            result = {"win": 1, "draw": 0, "loss": -1}[
                make_solver(game, **options).solve(board).value
            ]
        assert told == (result if board.turn == "x" else -result), board.text()


@each_game
def test_games_with_itself_depend_on_the_seed_alone(game: str) -> None:
    first, again, other = (
        b"".join(turns.tobytes() for turns in games_of(game, {}, seed)) for seed in (1, 1, 2)
    )
    assert first == again != other
    engine, core = Engine(game, hash=1), core_of(game)
    for wrong in [(0, 1, 60, 6, 0.1, 1), (1, 1, 0, 6, 0.1, 1), (1, 1, 60, 0, 0.1, 1)]:
        with pytest.raises(ValueError, match="from 1 up"):
            core.play_games(engine.core, *wrong)
    with pytest.raises(ValueError, match="no evaluation 9"):
        core.play_games(engine.core, 1, 1, 60, 6, 0.1, 9)


def wanted(turns: Any, decay: float, odds: float) -> list[float]:
    """What the positions of a game should be worth to their side to move, by definition."""
    found = []
    for i in range(len(turns) - 1):
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
    return found


def lessons_of(game: str, options: dict[str, Any]) -> Any:
    return course_of(game).training.Lessons(Board(game, **options).ruleset.options)


@each_case
def test_lessons_have_the_loss_and_the_slopes_of_the_twin(
    game: str, options: dict[str, Any]
) -> None:
    """Positions of random games with scores and ends drawn by lot, all features among them. The
    weights are such that sums are exact, in 32 bits too."""
    rng = np.random.default_rng(3)
    weights = (np.round(rng.normal(0, 2, (twin_of(game).ROWS, 16))) / 64).astype(np.float32)
    sign = np.repeat([1.0, -1.0], 8)
    loss, positions, slopes = 0.0, 0, np.zeros(weights.shape)
    games = []
    for played in random_games(game, options):
        turns = np.zeros(len(played) + 1, TURN)
        turns["move"][:-1] = [move.number for _, move, _ in played]
        turns["kind"][:-1] = [rng.integers(1, 3) * looked_at for _, _, looked_at in played]
        turns["score"][:-1] = rng.integers(-60, 60, len(played))
        turns[-1] = (0, ENDED, rng.integers(-1, 2))
        games.append(turns)
        for (board, _, looked_at), want in zip(played, wanted(turns, 0.8, 50.0), strict=True):
            if looked_at:
                images = twin_of(game).image_rows(board)
                sums = [weights[rows].astype(float).sum(0) for rows in images]
                chance = 1 / (1 + math.exp(-sum(np.maximum(part, 0) @ sign for part in sums)))
                loss -= want * math.log(chance) + (1 - want) * math.log(1 - chance)
                for rows, part in zip(images, sums, strict=True):
                    np.add.at(slopes, rows, (part > 0) * sign * (chance - want))
                positions += 1
    lessons, found = lessons_of(game, options), np.zeros_like(weights)
    raw = np.concatenate(games).view(np.uint8)
    assert lessons.slopes(raw, weights, found, 0.8, 50.0)[0] == pytest.approx(loss, 1e-4)
    assert positions > 100
    assert np.abs(found - slopes).max() < 1e-3
    assert lessons.slopes(raw, weights, None, 0.8, 50.0)[1] == positions


@each_game
def test_lessons_refuse_what_is_no_game(game: str) -> None:
    lessons, rows = lessons_of(game, {}), twin_of(game).ROWS
    weights = np.zeros((rows, 16), np.float32)
    turns = games_of(game, {})[0].copy()
    for wrong, reason in [
        (turns[:-1], "no end"),
        (turns[:0], "no end"),
        (np.concatenate([turns[:1], turns]), "cannot be played"),
    ]:
        with pytest.raises(ValueError, match=reason):
            lessons.slopes(wrong.view(np.uint8), weights, None, 0.9, 80.0)
    for decay, odds in [(0.9, 0.0), (0.9, math.nan), (math.nan, 80.0), (1.1, 80.0)]:
        with pytest.raises(ValueError, match="more than 0"):
            lessons.slopes(turns.view(np.uint8), weights, None, decay, odds)
    turns["move"][0] = 200
    with pytest.raises(ValueError, match="cannot be played"):
        lessons.slopes(turns.view(np.uint8), weights, None, 0.9, 80.0)
    with pytest.raises(ValueError, match="odd address"):
        lessons.slopes(np.zeros(9, np.uint8)[1:], weights, None, 0.9, 80.0)
    with pytest.raises(ValueError, match="whole turns"):
        lessons.slopes(turns.view(np.uint8)[:-1], weights, None, 0.9, 80.0)
    with pytest.raises(ValueError, match=f"{rows} rows of 16"):
        lessons.slopes(turns.view(np.uint8), weights[1:], None, 0.9, 80.0)


# --- the scripts ---------------------------------------------------------------------------------


@each_game
def test_training_learns_goes_on_and_plays(game: str, tmp_path: Path) -> None:
    """Two small generations: the loss falls, nothing is done twice, and they can play a match."""
    folder, out = tmp_path / "folder", tmp_path / "weights.pxd"
    script = PROJECT / f"bench/train_{game}.py"
    command = [sys.executable, str(script), "--folder", str(folder), "--out", str(out)]
    small = ["--shards", "1", "--nodes", "20", "--generations", "2", "--epochs", "4"]

    def run(*more: str) -> str:
        done = subprocess.run([*command, *more], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    losses = [float(loss) for loss in re.findall(r"loss (\d\.\d+)", run(*small))]
    assert len(losses) == 8
    assert losses[0] > losses[3]  # of each generation the last is the best
    assert losses[4] > losses[7]
    weights = out.read_text(encoding="ascii")
    assert bench("learning").read_weights(out).any()
    assert "loss" not in run(*small)
    assert out.read_text(encoding="ascii") == weights
    for kept in ("1/00000.games", "1/weights.npy", "2/weights.npy"):  # the same again from nothing
        (folder / kept).unlink()
    run(*small)
    assert out.read_text(encoding="ascii") == weights
    assert "generation 2 against 0" in run("--match", "2", "0", "--pairs", "1")
    for other in (["--shards", "2"], ["--seed", "2"], ["--nodes", "21"], ["--shipped"]):
        done = subprocess.run([*command, *small, *other], capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"{folder} was begun with other settings" in done.stderr
