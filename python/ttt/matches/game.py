"""One game of a series, played to its end or to the first error."""

import threading
import time as clock
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ttt.board import Board
from ttt.matches.record import SavedGame
from ttt.matches.series import Fixture
from ttt.players.spec import Player
from ttt.protocols.clock import forfeit_limit
from ttt.protocols.process import ProgramError
from ttt_core import system

ERRORS = ("illegal", "exception", "timeout", "crash")
"""The kinds of errors that lose a game."""

Error = tuple[str, str]
"""The kind of an error and a description."""


class TimedOut(BaseException):
    """A move took too long. Not an Exception, so that a player's own handlers do not catch it."""


@contextmanager
def alarm(seconds: float | None) -> Iterator[None]:
    """Raises TimedOut after this many seconds. Does nothing outside the main thread: a slow move is
    then noticed only when it is made."""
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring() -> None:
        raise TimedOut

    with system.alarm(seconds, ring):
        yield


def play_game(
    fixture: Fixture,
    board: Board,
    players: dict[int, Player],
    time: float | None,
    before_move: Callable[[], None] | None = None,
) -> SavedGame:
    """Plays a game from the position of `board`, to its end or to the first error, which loses it.
    `time` is in seconds per move; `before_move` is called before each move."""
    board.push_moves(fixture.opening)
    spent: list[float] = []
    limit = None if time is None else forfeit_limit(time)
    for side, number in (("x", fixture.x), ("o", fixture.o)):
        prepare = getattr(players[number], "new_game", None)
        if prepare:
            _, error = call_player(prepare, fixture.seed + number)
            if error:
                return saved_game(fixture, board, spent, error, side)
    while not board.is_game_over():
        if before_move:
            before_move()
        player = players[fixture.x if board.turn == "x" else fixture.o]
        began = clock.perf_counter()
        move, error = call_player(player.choose, board.copy(), limit=limit)
        spent.append(round((clock.perf_counter() - began) * 1000, 3))
        if error is None and limit is not None and spent[-1] > limit * 1000:
            error = "timeout", f"{spent[-1]:.0f} ms"
        if error is None:
            try:
                board.push(move)
            except (ValueError, TypeError) as problem:
                error = "illegal", str(problem)
        if error:
            return saved_game(fixture, board, spent, error, board.turn)
    return saved_game(fixture, board, spent)


def call_player(
    method: Callable[..., Any], *arguments: Any, limit: float | None = None
) -> tuple[Any, Error | None]:
    """Calls a method of a player: (what it returned, None) or (None, the error). Ctrl-C passes
    through."""
    try:
        with alarm(limit):
            return method(*arguments), None
    except TimedOut:
        return None, ("timeout", f"over {limit:g} s")
    except KeyboardInterrupt:
        raise
    except ProgramError as problem:
        return None, (problem.kind, str(problem))
    except BaseException as problem:
        return None, ("exception", f"{type(problem).__name__}: {problem}"[:300])


def saved_game(
    fixture: Fixture,
    board: Board,
    spent: list[float],
    error: Error | None = None,
    loser: str = "",
) -> SavedGame:
    """A game in the form of `ttt.matches.record`. `spent` has the milliseconds of its moves; if
    there was an `error`, the side `loser` lost by it."""
    outcome = board.outcome()
    if error:
        result, termination = "0-1" if loser == "x" else "1-0", error[0]
    else:
        assert outcome is not None
        result, termination = outcome.result(), outcome.termination.value
    game: SavedGame = {
        "game": fixture.number,
        "x": fixture.x,
        "o": fixture.o,
        "opening": len(board.parse_moves(fixture.opening)),
        "moves": " ".join(board.moves),
        "result": result,
        "termination": termination,
        "ms": spent,
    }
    if error:
        game["error"] = error[1]
    return game
