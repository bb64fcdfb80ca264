"""Learned evaluations: the core agrees with an independent implementation of the features, games of
self-play and gradients are right, and training resumes where it was stopped."""

import math
import random
import re
import time
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from itertools import chain, product
from pathlib import Path
from signal import SIGINT
from subprocess import Popen
from typing import Any

import numpy as np
import pytest

from support.commands import run, start
from support.reference import reference
from ttt import Board, Engine
from ttt.engine import make_solver
from ttt.storage.weights import load_shipped, read_weights, shipped_path
from ttt.training.curricula import CURRICULA
from ttt.training.records import END, OPENING, RANDOM, RECORD, SEARCHED

CASES: list[tuple[str, dict[str, Any]]] = [
    *(("nineboard", {"full": full}) for full in ("any", "draw")),
    *(
        ("ultimate", {"tie": tie, "won": won})
        for tie, won in product(("draw", "boards"), ("closed", "open"))
    ),
]
POINTS = {"nineboard": 16, "ultimate": 100}
"""The score that stands for log-odds of 1."""

each_game = pytest.mark.parametrize("game", POINTS)
each_case = pytest.mark.parametrize(("game", "options"), CASES)


def features_of(game: str) -> Any:
    """The independent implementation of a game's features."""
    return import_module(f"support.{game}_features")


def core_of(game: str) -> Any:
    return import_module(f"ttt_core.games.{game}")


def training_of(game: str) -> Any:
    return import_module(f"ttt_core.training.{game}")


@cache
def learned(name: str) -> Any:
    """The shipped weights of a network."""
    return np.array(load_shipped(name)).reshape(training_of(CURRICULA[name].game).SHAPE)


# --- the evaluation ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CURRICULA)
def test_the_shipped_weights_fit_the_features(name: str) -> None:
    found, game = read_weights(shipped_path(name), name), CURRICULA[name].game
    assert found.version == CURRICULA[name].version
    assert (found.rows, found.units) == (features_of(game).ROWS, 16) == training_of(game).SHAPE


def filled(board: Board) -> bool:
    marks, _, _ = board.picture()
    return any("." not in marks[i : i + 9] for i in range(0, 81, 9))


def random_games(game: str, options: dict[str, Any]) -> Iterator[list[tuple[Board, Any, bool]]]:
    """Random games: each position with the next move, and whether to test it. Tested are some of
    the positions that have a safe move and no winning one; in nine-board also all with a full
    board."""
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
def test_the_core_computes_the_defined_output(game: str, options: dict[str, Any]) -> None:
    engine = Engine(game, hash=1, **options)
    name = "ultimate-boards" if options.get("tie") == "boards" else game
    weights = learned(name).astype(int)
    values, full_boards = set(), 0
    for board in chain.from_iterable(
        (board for board, _, looked_at in played if looked_at)
        for played in random_games(game, options)
    ):
        odds = 0
        for rows in features_of(game).image_rows(board):
            squares = np.clip(weights[rows].sum(0), 0, 1024) ** 2
            odds += int(squares[:8].sum() - squares[8:].sum())
        value = int(POINTS[game] * int(odds / 1024) / 1024)
        if game == "nineboard":
            value = max(-1000, min(1000, value))
        assert engine.evaluate(board) == value, board.text()
        values.add(value)
        full_boards += filled(board)
    assert len(values) > 50
    assert full_boards > 5


@each_game
def test_weights_come_from_the_callable_when_an_engine_is_made(game: str) -> None:
    board, core, size = Board(game), core_of(game), features_of(game).ROWS * 16
    calls: list[int] = []

    def load(length: int) -> Any:
        calls.append(length)
        return np.zeros(length, np.int16)

    def ruleset(length: int) -> Any:
        return core.Ruleset(
            board.ruleset.options, lambda options: board.ruleset.moves, lambda: load(length)
        )

    zeros = ruleset(size)
    assert calls == []
    assert core.Engine(zeros, 1).evaluate(board, 1) == 0
    core.Engine(zeros, 1)
    assert calls == [size]
    for wrong in (0, size - 1, size + 1):
        with pytest.raises(ValueError, match=f"{wrong} learned weights; .* takes {size}"):
            core.Engine(ruleset(wrong), 1)
    with pytest.raises(ValueError, match="load_weights"):
        core.Engine(core.Ruleset(board.ruleset.options, lambda options: board.ruleset.moves), 1)


# --- self-play and gradients ---------------------------------------------------------------------


def games_of(game: str, options: dict[str, Any], seed: int = 1) -> list[Any]:
    """Self-play games, each an array of records."""
    engine = Engine(game, hash=1, **options)
    found = core_of(game).play_games(engine.core, 12, seed, 60, 6, 0.1, 1)
    records = np.frombuffer(found, RECORD)
    return list(np.split(records, 1 + np.flatnonzero(records["kind"] == END)))[:-1]


@each_case
def test_self_play_games_are_legal(game: str, options: dict[str, Any]) -> None:
    games = games_of(game, options)
    assert len(games) == 12
    for records in games:
        board, rules = Board(game, **options), reference(game, **options)
        for record in records[:-1]:
            assert record["move"] in rules.legal()
            rules.play(int(record["move"]))
            board.push(board.ruleset.moves[record["move"]])
        kinds = records["kind"][:-1].tolist()
        opening = kinds.count(OPENING)
        assert 0 <= opening <= 6
        assert set(kinds[opening:]) <= {SEARCHED, RANDOM}
        result, recorded = board.outcome_value(), int(records["score"][-1])
        if result is None:  # the result was proven before the end: a search to the end agrees
            result = {"win": 1, "draw": 0, "loss": -1}[
                make_solver(game, **options).solve(board).value
            ]
        assert recorded == (result if board.turn == "x" else -result), board.text()


def test_some_games_begin_without_random_moves() -> None:
    """Otherwise nothing is learned about the first position."""
    openings = {
        games_of("ultimate", {}, seed)[0]["kind"].tolist().count(OPENING) for seed in range(60)
    }
    assert openings == set(range(7))


@each_game
def test_self_play_depends_on_the_seed_alone(game: str) -> None:
    first, again, other = (
        b"".join(records.tobytes() for records in games_of(game, {}, seed)) for seed in (1, 1, 2)
    )
    assert first == again != other
    engine, core = Engine(game, hash=1), core_of(game)
    for wrong in [(0, 1, 60, 6, 0.1, 1), (1, 1, 0, 6, 0.1, 1), (1, 1, 60, -1, 0.1, 1)]:
        with pytest.raises(ValueError, match="at least 1, opening at least 0"):
            core.play_games(engine.core, *wrong)
    with pytest.raises(ValueError, match="evaluation 9: expected"):
        core.play_games(engine.core, 1, 1, 60, 6, 0.1, 9)


def td_targets(records: Any, td_lambda: float, score_scale: float) -> list[float]:
    """The TD(lambda) targets of a game's positions, by definition."""
    found = []
    for i in range(len(records) - 1):
        value, weight = 0.0, 1.0
        for j in range(i, len(records)):
            sign = -1 if (j - i) % 2 else 1
            if j == len(records) - 1:
                result = int(records["score"][-1]) * (-1 if i % 2 else 1)
                value += weight * (1 + result) / 2
                break
            thought = 1 / (1 + math.exp(-sign * int(records["score"][j]) / score_scale))
            if records["kind"][j] != SEARCHED:
                value += weight * thought
                break
            value += weight * (1 - td_lambda) * thought
            weight *= td_lambda
        found.append(value)
    return found


def loss_of(game: str, options: dict[str, Any]) -> Any:
    return training_of(game).GameLoss(Board(game, **options).ruleset.options)


@each_case
def test_loss_and_gradients_follow_their_definition(game: str, options: dict[str, Any]) -> None:
    """Positions of random games with random scores and results, covering all features. The weights
    are chosen so that sums are exact, in 32 bits too."""
    rng = np.random.default_rng(3)
    weights = (np.round(rng.normal(0, 2, (features_of(game).ROWS, 16))) / 64).astype(np.float32)
    sign = np.repeat([1.0, -1.0], 8)
    loss, positions, gradients = 0.0, 0, np.zeros(weights.shape)
    games = []
    for played in random_games(game, options):
        records = np.zeros(len(played) + 1, RECORD)
        records["move"][:-1] = [move.number for _, move, _ in played]
        records["kind"][:-1] = [rng.integers(1, 3) * looked_at for _, _, looked_at in played]
        records["score"][:-1] = rng.integers(-60, 60, len(played))
        records[-1] = (0, END, rng.integers(-1, 2))
        games.append(records)
        for (board, _, looked_at), want in zip(played, td_targets(records, 0.8, 50.0), strict=True):
            if looked_at:
                images = features_of(game).image_rows(board)
                sums = [weights[rows].astype(float).sum(0) for rows in images]
                odds = sum(np.clip(part, 0, 1) ** 2 @ sign for part in sums)
                chance = 1 / (1 + math.exp(-odds))
                loss -= want * math.log(chance) + (1 - want) * math.log(1 - chance)
                for rows, part in zip(images, sums, strict=True):
                    slope = 2 * part * ((part > 0) & (part < 1))
                    np.add.at(gradients, rows, slope * sign * (chance - want))
                positions += 1
    game_loss, found = loss_of(game, options), np.zeros_like(weights)
    raw = np.concatenate(games).view(np.uint8)
    assert game_loss.add_gradients(raw, weights, found, 0.8, 50.0)[0] == pytest.approx(loss, 1e-4)
    assert positions > 100
    assert np.abs(found - gradients).max() < 1e-3
    assert game_loss.add_gradients(raw, weights, None, 0.8, 50.0)[1] == positions


@each_game
def test_games_that_are_not_games_are_refused(game: str) -> None:
    game_loss, rows = loss_of(game, {}), features_of(game).ROWS
    weights = np.zeros((rows, 16), np.float32)
    records = games_of(game, {})[0].copy()
    for wrong, reason in [
        (records[:-1], "kind END"),
        (records[:0], "kind END"),
        (np.concatenate([records[:1], records]), "illegal move"),
    ]:
        with pytest.raises(ValueError, match=reason):
            game_loss.add_gradients(wrong.view(np.uint8), weights, None, 0.9, 80.0)
    for td_lambda, scale in [(0.9, 0.0), (0.9, math.nan), (math.nan, 80.0), (1.1, 80.0)]:
        with pytest.raises(ValueError, match="above 0"):
            game_loss.add_gradients(records.view(np.uint8), weights, None, td_lambda, scale)
    for td_lambda in (0.0, 1.0):  # without weights every chance is a half, whatever the target
        loss, positions = game_loss.add_gradients(
            records.view(np.uint8), weights, None, td_lambda, 80.0
        )
        assert loss == pytest.approx(positions * math.log(2), 1e-4)
        assert positions > 0
    records["move"][0] = 200
    with pytest.raises(ValueError, match="illegal move"):
        game_loss.add_gradients(records.view(np.uint8), weights, None, 0.9, 80.0)
    with pytest.raises(ValueError, match="odd address"):
        game_loss.add_gradients(np.zeros(9, np.uint8)[1:], weights, None, 0.9, 80.0)
    with pytest.raises(ValueError, match="records of 4 bytes"):
        game_loss.add_gradients(records.view(np.uint8)[:-1], weights, None, 0.9, 80.0)
    with pytest.raises(ValueError, match=f"{rows} rows of 16"):
        game_loss.add_gradients(records.view(np.uint8), weights[1:], None, 0.9, 80.0)


# --- ttt train -----------------------------------------------------------------------------------

SMALL = ("--shards", "1", "--nodes", "20", "--generations", "2", "--epochs", "4")


def train(*arguments: str) -> str:
    done = run("train", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


@each_game
def test_training_learns_resumes_and_plays(game: str, tmp_path: Path) -> None:
    """Two small generations: the loss falls, nothing is done twice, and they can play a match."""
    folder, out = tmp_path / "folder", tmp_path / "new.weights"
    command = [game, "--folder", str(folder), "--out", str(out)]
    losses = [float(loss) for loss in re.findall(r"loss (\d\.\d+)", train(*command, *SMALL))]
    assert len(losses) == 8 + 2
    assert losses[0] > losses[3]  # in each generation the last epoch is the best
    assert losses[4] > losses[7]
    tested = losses[8:]
    # The second knows more than the first, and than nothing, about games not learned from.
    assert tested[1] < min(tested[0], math.log(2))
    weights = out.read_bytes()
    found = read_weights(out, game)
    assert (found.rows, found.units) == training_of(game).SHAPE
    assert any(found.weights)
    assert "seed 1" in found.origin
    again = train(*command, *SMALL)
    assert "epoch" not in again
    assert [float(loss) for loss in re.findall(r"loss (\d\.\d+)", again)] == tested
    assert out.read_bytes() == weights
    for kept in ("1/00000.games", "1/weights.npy", "2/weights.npy"):  # the same again from scratch
        (folder / kept).unlink()
    train(*command, *SMALL)
    assert out.read_bytes() == weights
    assert "generation 2 against 0" in train(*command, "--match", "2", "0", "--pairs", "1")
    for other in (["--shards", "2"], ["--seed", "2"], ["--nodes", "21"], ["--shipped"]):
        done = run("train", *command, *SMALL, *other)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"{folder}: other settings" in done.stderr


def test_training_starts_from_the_shipped_weights(tmp_path: Path) -> None:
    """The run keeps them, and a step or two hardly changes them."""
    folder, out = tmp_path / "folder", tmp_path / "new.weights"
    command = ("ultimate", "--folder", str(folder), "--out", str(out), "--shipped")
    train(*command, "--shards", "1", "--nodes", "1", "--generations", "1", "--epochs", "1")
    kept = np.load(folder / "shipped.npy")
    assert (np.round(kept * 1024) == learned("ultimate")).all()
    assert np.abs(np.load(folder / "1/weights.npy") - kept).max() < 0.2


def start_long_run(folder: Path) -> Popen[str]:
    """A run that has written its first files, with many more to come."""
    process = start(
        *("train", "nineboard", "--folder", str(folder), "--out", str(folder / "x.weights")),
        *("--shards", "500", "--nodes", "20", "--processes", "2"),
    )
    while not list(folder.glob("1/*.games")):
        assert process.poll() is None
        time.sleep(0.1)
    return process


def test_ctrl_c_keeps_the_finished_games(tmp_path: Path) -> None:
    process = start_long_run(tmp_path)
    process.send_signal(SIGINT)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 130
    assert all(re.match(r"\d+/500 files, ", line) for line in errors.split("\n") if line)
    played = sorted(tmp_path.glob("1/*"))
    assert 0 < len(played) < 500
    assert all(re.fullmatch(r"\d{5}\.games", path.name) for path in played)


def test_workers_end_with_a_run_that_is_killed(tmp_path: Path) -> None:
    process = start_long_run(tmp_path)
    process.kill()
    process.communicate(timeout=300)  # the workers inherit its pipes, so this waits for them too
    assert len(list(tmp_path.glob("1/*.games"))) < 500


def test_connect4_constants_are_fitted() -> None:
    names = re.findall(r"^(\w+) = -?\d+\.\d$", train("connect4", "--positions", "60"), re.MULTILINE)
    assert names == ["TEMPO", "PAIR", "SINGLE", "X_ODD", "X_EVEN", "O_ODD", "O_EVEN", "intercept"]


def test_bad_arguments_of_train(tmp_path: Path) -> None:
    nowhere = tmp_path / "none" / "x.weights"
    for arguments, reason in [
        (("chess",), "invalid choice"),
        (("nineboard", "--shards", "0"), "expected a whole number from 1 up"),
        (("nineboard", "--folder", str(tmp_path), "--out", str(nowhere)), str(nowhere)),
    ]:
        done = run("train", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert reason in done.stderr
        assert done.stderr.count("\n") == 1
