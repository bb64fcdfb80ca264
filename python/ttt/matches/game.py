"""One game of a series, played to its end or to the first error."""

import signal
import threading
import time as clock
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from ttt.board import Board
from ttt.matches.record import Game
from ttt.players.spec import Player

ERRORS = ("illegal", "exception", "timeout", "crash")


class Fixture(NamedTuple):
    """One game to be played: the numbers of its players, its opening and its seed."""

    number: int
    x: int
    o: int
    opening: str
    seed: int


def patience(time: float) -> float:
    """The seconds after which a move loses the game, for `time` seconds a move: twice as long and
    half a second, so that a busy machine is not taken for a slow player."""
    return 2 * time + 0.5


class TimedOut(BaseException):
    """A move took too long. No Exception: a player's own handlers must not catch it."""


@contextmanager
def alarm(seconds: float | None) -> Iterator[None]:
    """Raises TimedOut in the main thread after so many seconds; elsewhere it does nothing."""
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(*_: object) -> None:
        raise TimedOut

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def play_game(
    fixture: Fixture,
    board: Board,
    players: dict[int, Player],
    time: float | None,
    on_turn: Callable[[], None] | None = None,
) -> Game:
    """Plays a game to its end or to the first error, which loses it. `on_turn` is called
    before each move."""
    board.push_moves(fixture.opening)
    spent: list[float] = []
    limit = None if time is None else patience(time)
    for side, number in (("x", fixture.x), ("o", fixture.o)):
        prepare = getattr(players[number], "new_game", None)
        if prepare:
            _, error = attempt(prepare, fixture.seed + number)
            if error:
                return finished(fixture, board, spent, error, side)
    while not board.is_game_over():
        if on_turn:
            on_turn()
        player = players[fixture.x if board.turn == "x" else fixture.o]
        began = clock.perf_counter()
        move, error = attempt(player.choose, board.copy(), limit=limit)
        spent.append(round((clock.perf_counter() - began) * 1000, 3))
        if error is None and limit is not None and spent[-1] > limit * 1000:
            error = "timeout", f"{spent[-1]:.0f} ms"
        if error is None:
            try:
                board.push(move)
            except (ValueError, TypeError) as problem:
                error = "illegal", str(problem)
        if error:
            return finished(fixture, board, spent, error, board.turn)
    return finished(fixture, board, spent)


Error = tuple[str, str]
"""The kind of an error and what happened."""


def attempt(
    action: Callable[..., Any], *arguments: Any, limit: float | None = None
) -> tuple[Any, Error | None]:
    """What a player's code returns, or how it failed. Ctrl-C passes through."""
    try:
        with alarm(limit):
            return action(*arguments), None
    except TimedOut:
        return None, ("timeout", f"over {limit:g} s")
    except KeyboardInterrupt:
        raise
    except BaseException as problem:
        return None, ("exception", f"{type(problem).__name__}: {problem}"[:300])


def finished(
    fixture: Fixture,
    board: Board,
    spent: list[float],
    error: Error | None = None,
    loser: str = "",
) -> Game:
    """A game as it is saved."""
    record: Game = {
        "game": fixture.number,
        "x": fixture.x,
        "o": fixture.o,
        "opening": len(board.parse_moves(fixture.opening)),
        "moves": " ".join(board.moves),
    }
    outcome = board.outcome()
    if error is not None:
        record |= {"result": "o" if loser == "x" else "x", "by": error[0], "error": error[1]}
    else:
        assert outcome is not None
        record |= {"result": outcome.winner or "draw", "by": outcome.termination}
    return record | {"ms": spent}
