"""Batches against the slow rules: every position of many games, stepped side by side."""

import doctest
import math
from random import Random
from statistics import fmean
from typing import Any

import pytest

from support.contract import GAMES, Game, name_of
from support.reference import Reference, reference
from ttt import Board, IllegalMove

np = pytest.importorskip("numpy")

from ttt import batch as module  # noqa: E402
from ttt.batch import Batch  # noqa: E402


@pytest.mark.parametrize("game", GAMES, ids=name_of)
def test_games_side_by_side(game: Game) -> None:
    """Legal moves, marks, turn and results of 20 random games at every ply, by the slow rules."""
    random = Random(5)
    batch = Batch(game[0], 20, **game[1])
    slow = [reference(game[0], **game[1]) for _ in range(20)]
    while not batch.over.all():
        legal, marks, winner = batch.legal, batch.marks, batch.winner
        moves = []
        for i, position in enumerate(slow):
            outcome = position.outcome()
            expected = [] if outcome else position.legal()
            assert sorted(np.flatnonzero(legal[i]).tolist()) == sorted(expected)
            assert bool(batch.over[i]) == (outcome is not None)
            side = outcome[0] if outcome else None
            assert winner[i] == {"x": 1, "o": -1, None: 0}[side]
            assert "".join(".xo"[mark] for mark in marks[i]) == "".join(position.marks)
            assert outcome or batch.turn[i] == {"x": 1, "o": -1}[position.turn]
            moves.append(random.choice(expected) if expected else -1)
        for position, move in zip(slow, moves, strict=True):
            if move >= 0:
                position.play(move)
        batch.step(np.array(moves))


@pytest.mark.parametrize("game", GAMES, ids=name_of)
def test_boards_in_and_out(game: Game) -> None:
    boards = [Board(game[0], **game[1]).playout(seed) for seed in range(30)]
    for board in boards:
        for _ in range(min(len(board.moves), 5)):
            board.pop()
    batch = Batch.of(boards)
    assert [batch.board(i) for i in range(30)] == boards
    assert batch.keys.tolist() == [board.key for board in boards]
    if boards[0].has_board_in_force:
        names = [None if n == 10 else "*" if n == 9 else n for n in batch.in_force.tolist()]
        assert names == [board.picture()[1] for board in boards]


def test_random_moves_are_legal_spread_and_repeatable() -> None:
    batch = Batch("connect4", 7_000)
    moves = batch.random_moves(3)
    assert (moves == batch.random_moves(3)).all()
    assert (moves != batch.random_moves(4)).any()
    assert all(850 < count < 1150 for count in np.bincount(moves, minlength=7))


def chances(slow: Reference) -> tuple[float, float]:
    """The mean result for x of uniformly random play, and its variance, from the whole tree."""
    known: dict[str, tuple[float, float]] = {}

    def walk(position: Reference) -> tuple[float, float]:
        marks = "".join(position.marks)
        outcome = position.outcome()
        if outcome:
            known[marks] = float(outcome[0] == "x"), float(outcome[0] == "o")
        if marks not in known:
            found = []
            for move in position.legal():
                after = position.copy()
                after.play(move)
                found.append(walk(after))
            known[marks] = fmean(x for x, _ in found), fmean(o for _, o in found)
        return known[marks]

    x, o = walk(slow)
    return x - o, x + o - (x - o) ** 2


@pytest.mark.parametrize(
    ("game", "moves"),
    [
        (("tictactoe", {}), "5 1 2"),
        (("tictactoe", {}), "5 1"),
        (("mnk", {"m": 4, "n": 2, "k": 3}), "a1 b1"),
        (("connect4", {"columns": 3, "rows": 3, "connect": 3}), "1 1 2"),
        (("connect4", {"columns": 4, "rows": 3, "connect": 3}), "1 2 4 1 2"),
    ],
)
def test_playouts_have_the_chances_of_random_play(game: Game, moves: str) -> None:
    """Of boards and of batches; every position of a batch is played from, with its own games."""
    board = Board(game[0], **game[1])
    other = board.copy()
    board.push_moves(moves)
    slow, start = (reference(game[0], **game[1]) for _ in range(2))
    for move in board.moves:
        slow.play(move.number)
    count = 60_000
    (mean, spread), (first_mean, first_spread) = chances(slow), chances(start)
    bound, first_bound = (5 * math.sqrt(value / count) for value in (spread, first_spread))
    found = board.playouts(count, seed=1)
    assert found["x"] + found["o"] + found["draw"] == count
    assert abs((found["x"] - found["o"]) / count - mean) < bound
    batch = Batch.of([board, other, board]).playouts(count, seed=2)
    assert abs(batch[0] - mean) < bound
    assert abs(batch[1] - first_mean) < first_bound
    assert abs(batch[2] - mean) < bound
    assert batch[0] != batch[2]
    assert (Batch.of([board, other, board]).playouts(count, seed=2) == batch).all()


def test_playouts_of_a_finished_game() -> None:
    over = Board("tictactoe")
    over.push_moves("1 4 2 5 3")
    assert Batch.of([over]).playouts(5, seed=2)[0] == 1


def test_bad_moves_play_nothing() -> None:
    batch = Batch("tictactoe", 3)
    batch.step([4, 4, -1])
    before = batch.marks
    with pytest.raises(IllegalMove, match="position 1: 5 cannot be played: that cell is taken"):
        batch.step([0, 4, 0])
    for moves in ([9, 0, 0], [-2, 0, 0], [2**40, 0, 0]):
        with pytest.raises(IllegalMove, match="from 0 to 8, or -1"):
            batch.step(moves)
    wrong: list[Any] = [[0, 1], [0.5, 1, 2], [[0, 1, 2]], "abc", None]
    for bad in wrong:
        with pytest.raises(ValueError, match="expected 3 whole numbers"):
            batch.step(bad)
    assert (batch.marks == before).all()


@pytest.mark.parametrize("game", GAMES, ids=name_of)
def test_reset_restarts_the_marked_games(game: Game) -> None:
    batch = Batch(game[0], 4, **game[1])
    for seed in range(3):
        batch.step(batch.random_moves(seed))
    kept = [batch.board(i) for i in (1, 3)]
    batch.reset(np.array([True, False, True, False]))
    assert [batch.board(i) for i in (0, 2)] == [batch.start, batch.start]
    assert [batch.board(i) for i in (1, 3)] == kept
    for wrong in ([1, 0, 1, 0], [True], [[True] * 4], None):
        with pytest.raises(ValueError, match="expected 4 bools"):
            batch.reset(np.array(wrong))


def test_bad_batches() -> None:
    for size in (0, -1, 2**40):
        with pytest.raises(ValueError, match="expected 1 to"):
            Batch("tictactoe", size)
    with pytest.raises(ValueError, match="unknown game"):
        Batch("chess", 1)
    with pytest.raises(ValueError, match="expected at least one board"):
        Batch.of([])
    with pytest.raises(ValueError, match="board 1 is qubic, but the batch is tictactoe"):
        Batch.of([Board("tictactoe"), Board("qubic")])
    with pytest.raises(ValueError, match="other options"):
        Batch.of([Board("nineboard"), Board("nineboard", full="draw")])
    with pytest.raises(IndexError):
        Batch("tictactoe", 2).board(2)
    with pytest.raises(ValueError, match="games=0"):
        Batch("tictactoe", 2).playouts(0, 1)
    core = Batch("tictactoe", 2).core
    with pytest.raises(ValueError, match="has 2 items of 8 bytes; expected 2 of 4"):
        core.step(np.zeros(2, np.int64))
    with pytest.raises(TypeError, match="expected an array"):
        core.step([0, 0])


def test_documentation() -> None:
    assert doctest.testmod(module).failed == 0
