"""Clocks: how much of the remaining time to spend on a move, and when a move is too late."""

import math
from typing import NamedTuple

from ttt.board import Board
from ttt.limits import Limit
from ttt_core.errors import BadNotation, shorten

OVERHEAD = 0.02
"""Seconds of a clock that are never planned for thinking: they cover the way of a move to the
other side, and the delays of a busy machine."""
RESERVE = 0.2
"""The share of a clock that is kept for long delays."""
LONGER = 3
"""Times the planned seconds that a move may take at most."""
SHORTEST = 0.001
"""Seconds that a move gets even if the clock has run out."""
LONGEST = 1e6


class Clock(NamedTuple):
    """Seconds for the game, and seconds that each move adds."""

    initial: float
    increment: float

    def __str__(self) -> str:
        return f"{self.initial:g}+{self.increment:g}"


def parse_clock(text: str) -> Clock:
    """The clock that a text such as "30+2" means: seconds, plus seconds per move.

    >>> parse_clock("30+2")
    Clock(initial=30.0, increment=2.0)
    """
    first, _, second = text.partition("+")
    try:
        clock = Clock(float(first), float(second or "0"))
    except ValueError:
        clock = Clock(math.nan, math.nan)
    if not (0 < clock.initial <= LONGEST and 0 <= clock.increment <= LONGEST):
        raise BadNotation(
            f"clock {shorten(text)}: expected seconds for the game and for each move, such as 30+2"
        )
    return clock


def moves_left(board: Board) -> int:
    """A cautious estimate of the moves that the side to move still has to make: most games end
    when three fifths of the empty cells are filled."""
    return max(5, round(0.3 * board.marks.count(".")))


def time_for_move(
    clock: float, increment: float = 0.0, moves: int = 20, overhead: float = OVERHEAD
) -> float:
    """Seconds to think about a move, with `clock` seconds left and `moves` moves to make.

    A move gets at most a fifth of what the clock has above `overhead`: so a short clock settles
    where the increment pays for thinking and delays, and a few long delays do not exhaust it.
    Below `overhead`, a quarter of the increment is spent.

    >>> time_for_move(1.02, 0, 20)
    0.05
    """
    usable = max(clock - overhead, 0.0)
    least = max(min(increment / 4, clock / 10), SHORTEST)
    return max(min(usable / moves + 0.75 * increment, usable / 5), least)


def limit_for_move(
    clock: float, increment: float = 0.0, moves: int = 20, overhead: float = OVERHEAD
) -> Limit:
    """The limit of a search: the time for a move, which a hard decision may exceed LONGER times
    unless that were more than an eighth of the clock.

    >>> limit_for_move(1.02, 0, 20)
    Limit(depth=None, nodes=None, time=0.125, soft_time=0.05)
    """
    planned = time_for_move(clock, increment, moves, overhead)
    most = min(LONGER * planned, (clock - overhead) / 8)
    return Limit(time=max(planned, most), soft_time=planned)


class Delays:
    """What the moves of a game cost besides thinking, as its clock shows: the way to the referee
    and back, and waiting for a processor."""

    def __init__(self) -> None:
        self._longest = 0.0
        """Of the recent moves."""
        self._usual: float | None = None

    def add(self, seconds: float) -> None:
        """Notes the delay of a move."""
        self._longest = max(0.9 * self._longest, seconds)
        usual = seconds if self._usual is None else self._usual
        self._usual = usual + (seconds - usual) / 4

    def expected(self, moves: int, increment: float) -> float:
        """Seconds to set aside: a long delay now, and in each of `moves` moves the usual one as far
        as the increment does not pay for it."""
        return self._longest + moves * max((self._usual or 0.0) - increment, 0.0)


def forfeit_limit(time: float) -> float:
    """Seconds after which a move loses the game, if players get `time` seconds per move. The
    margin is wide, so that a player on a busy machine does not lose by accident."""
    return 2 * time + 0.5
