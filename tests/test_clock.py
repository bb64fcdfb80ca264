"""Clock management: no clock runs out, whatever the game and the clock."""

from random import Random

import pytest

from support.contract import GAMES, Game, name_of
from ttt import Board
from ttt.protocols.clock import OVERHEAD, Clock, moves_left, parse_clock, time_for_move


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
            seconds = time_for_move(left[side], clock.increment, moves_left(board))
            assert 0 < seconds < max(left[side], 0.002)
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
