from array import array
from collections.abc import Callable
from typing import ClassVar, TypedDict

from typing_extensions import Self

class SolveRecord(TypedDict):
    """Result of `Solver.solve`. Exists for type checkers only."""

    low: int
    high: int
    """The score is between `low` and `high`, which are equal if it is known."""
    nodes: int
    seconds: float
    raised: BaseException | None
    """What a signal handler raised during the call, KeyboardInterrupt for Ctrl-C."""

class Solver:
    """Solver of one board size; `ttt.solvers.connect4.Connect4Solver` is the public class.

    A position is two words: the discs of the side to move and of the opponent, as `pack` and
    `pack_moves` make them. Scores are for the side to move: 1 is a win with its last disc, one
    more for each disc it has left then; the opponent's wins are negative, a draw is 0.

    >>> solver = Solver(7, 6)
    >>> solver.solve(*solver.pack_moves("4455"), False, 2**62, 0.0, 1, None)["low"]
    18
    """

    widest: ClassVar[int]
    """The most columns a board can have."""
    tallest: ClassVar[int]
    """The most rows."""
    hash: int
    """MiB of the transposition table."""
    static_bounds: bool
    """Whether to use static bounds; switched off only to measure or test them."""

    def __new__(cls, columns: int, rows: int, hash: int = 32) -> Self: ...
    def resize(self, hash: int) -> None:
        """Replaces the table by an empty one: the largest power of two that is at most `hash`
        MiB."""
    def clear(self) -> None:
        """Empties the tables."""
    def stop(self) -> None:
        """Stops a call that runs in another thread; that call returns what it has found so far."""
    def pack(self, marks: str, turn: str) -> tuple[int, int]:
        """(mine, theirs) of a board: its marks in reading order, and the side to move, x or o."""
    def pack_moves(self, moves: str) -> tuple[int, int] | None:
        """(mine, theirs) after moves given as digits, columns from 1; None if they are illegal."""
    def static_bound_beats(self, mover: int, other: int, alpha: int) -> bool:
        """Whether the static bound of the side that has just moved is above alpha."""
    def solve(
        self,
        mine: int,
        theirs: int,
        weak: bool,
        nodes: int,
        limit: float,
        threads: int,
        on_info: Callable[[int, int, int, float], None] | None,
        low: int = -64,
        high: int = 64,
    ) -> SolveRecord:
        """Solves one position.

        `nodes` and `limit`, in seconds (0: none), end the solve early. `weak`: only the
        sign of the score is wanted. Scores outside `low` to `high` count as the nearer of these.
        `on_info(low, high, nodes, seconds)` is called after each null-window search.
        """
    def moves_within(
        self,
        mine: int,
        theirs: int,
        columns: list[int],
        weak: bool,
        most: int,
        every: bool,
        nodes: int,
        total: int,
        limit: float,
    ) -> tuple[list[int], list[int], int, BaseException | None]:
        """Which moves leave the opponent a score of at most `most` (in weak mode: a sign of at
        most `most`); in one call, because most of these scores are in the table already.

        The moves are given by their columns; the first that is found ends the call if not `every`.
        A move may take `nodes` nodes, all of them `total` nodes and `limit` seconds (0: no limit).
        Returns (columns found, columns not known, nodes, what a signal handler raised).
        """
    def solve_many(
        self,
        mine: array[int],
        theirs: array[int],
        weak: bool,
        nodes: int,
        limit: float,
        threads: int,
    ) -> tuple[array[int], array[int], array[int], BaseException | None]:
        """Solves many positions, given as two arrays of words; the limits are per position.

        Returns (low, high, nodes, raised): three arrays with an entry for each position, and what
        a signal handler raised, if anything. A position that was never begun has low > high.
        """
