"""Clock management: no clock runs out, whatever the game and the clock."""

from random import Random

import pytest

from support.contract import GAMES, Game, name_of
from ttt import Board, Engine, Limit, limits
from ttt.protocols.clock import (
    OVERHEAD,
    Clock,
    limit_for_move,
    moves_left,
    parse_clock,
    time_for_move,
)


@pytest.mark.parametrize("text", ["30+2", "0.05+0.005", "1", "300+0", "1e-3+1"])
def test_clocks_as_text(text: str) -> None:
    assert parse_clock(str(parse_clock(text))) == parse_clock(text)


@pytest.mark.parametrize("text", ["", "x", "0", "-1+2", "1+-1", "1+2+3", "inf", "nan+1", "1+nan"])
def test_bad_clocks(text: str) -> None:
    with pytest.raises(ValueError, match="expected seconds"):
        parse_clock(text)


@pytest.mark.parametrize("game", GAMES, ids=name_of)
@pytest.mark.parametrize("clock", [Clock(0.05, 0.005), Clock(1, 0.01), Clock(60, 0), Clock(30, 2)])
def test_no_clock_runs_out(game: Game, clock: Clock) -> None:
    """Each move costs up to 15 ms besides thinking in one move of ten, otherwise up to 4 ms."""
    name, options = game
    for seed in range(20):
        random = Random(seed)
        board = Board(name, **options)
        left = dict.fromkeys("xo", clock.initial)
        while not board.is_game_over():
            side = board.turn
            limit = limit_for_move(left[side], clock.increment, moves_left(board))
            assert limit.time is not None
            assert limit.soft_time == time_for_move(left[side], clock.increment, moves_left(board))
            assert 0 < limit.soft_time <= limit.time < max(left[side], 0.002)
            seconds = random.choice([limit.time, limit.soft_time, limit.soft_time / 2])
            delay = 0.015 if random.random() < 0.1 else 0.004
            left[side] -= seconds + random.uniform(0, min(delay, 0.75 * OVERHEAD))
            assert left[side] > 0
            left[side] += clock.increment
            board.push(random.choice(board.legal_moves))


def test_uses_the_time() -> None:
    """A game of 20 moves uses most of the clock."""
    left = 60.0
    for number in range(20):
        left -= time_for_move(left, 0.0, max(5, round(0.3 * (42 - 2 * number))))
    assert left < 10


def test_less_time_is_never_more_thinking() -> None:
    times = [time_for_move(clock / 100, 0.1, 10) for clock in range(1, 500)]
    assert times == sorted(times)
    assert time_for_move(-1.0) == time_for_move(0.0) == 0.001


def test_a_hard_decision_may_take_longer_but_not_an_eighth_of_the_clock() -> None:
    for moves, seconds, soft in ((50, 6, 2), (20, 12.5, 5), (5, 20, 20)):
        limit = limit_for_move(100.02, 0, moves)
        assert limit.time == pytest.approx(seconds)
        assert limit.soft_time == pytest.approx(soft)


@pytest.mark.parametrize(
    ("moves", "shares"),
    [
        ("aaaaaaaa", (2, 1.4, 1, 0.8, 0.65, 0.5, 0.5, 0.5)),
        ("abbbcccb", (2, 2, 1.4, 1, 2, 1.4, 1, 2)),
    ],
)
def test_settled_moves_are_played_sooner(
    moves: str, shares: tuple[float, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [5.0]
    monkeypatch.setattr(limits, "perf_counter", lambda: now[0])
    early, late = limits.SoftLimit(10.0), limits.SoftLimit(10.0)
    for move, share in zip(moves, shares, strict=True):
        now[0] = 5.0 + 10 * share - 0.01
        assert not early.reached(move)
        now[0] += 0.02
        assert late.reached(move)


@pytest.mark.parametrize("game", GAMES, ids=name_of)
def test_a_search_ends_at_its_soft_limit(game: Game) -> None:
    """The bound is far above what a busy machine needs."""
    name, options = game
    board, engine = Board(name, **options), Engine(name, hash=1, solver=False, **options)
    result = engine.search(board, Limit(time=120, soft_time=0.01))
    assert result.move in board.legal_moves
    assert result.seconds < 60
    assert engine.search(board, Limit(time=0.01, soft_time=1000)).seconds < 60


def test_an_only_move_is_played_at_once() -> None:
    random, board = Random(1), Board("ultimate")
    while len(board.legal_moves) != 1 or board.ply > 40:
        if board.is_game_over():
            board = Board("ultimate")
        board.push(random.choice(board.legal_moves))
    assert Engine("ultimate", hash=1).search(board, Limit(time=120, soft_time=100)).nodes < 10_000
