"""The interface of solvers and their results.

A game's own solver is the class that `ttt.solvers.<game>` binds to SOLVER. Other games, and options
that a solver does not support, are searched to the end by the engine.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib import import_module
from typing import Any, ClassVar, NamedTuple

from ttt.board import Board, board_class, games
from ttt.limits import Budget, Limit, as_limit, reject_unknown
from ttt.registry import modules_in
from ttt.score import Score
from ttt_core.move import Move

VALUES = {1: "win", 0: "draw", -1: "loss"}
"""The value of a position for the side to move, by the sign of its score."""


class Solution(NamedTuple):
    """What a solver has found about a position, for the side to move."""

    value: str
    """"win", "draw" or "loss"; "unknown" if a limit was reached first."""
    game_score: int | None
    """The exact score in the game's own units (connect4 only)."""
    plies: int | None
    """Plies to the end of a won or lost game; None if drawn or not known."""
    move: Move | None
    """A best move; the most promising one while the value is unknown."""
    best: list[Move]
    """The best moves found."""
    low: int | None
    """The lower bound of `game_score` so far."""
    high: int | None
    """The upper bound of `game_score` so far."""
    nodes: int
    """The positions that were searched."""
    seconds: float
    """The time that it took."""
    details: dict[str, Any]
    """Counters and other findings of this game's solver."""
    exact: bool = True
    """Whether `plies` is exact, not an upper bound."""

    @property
    def proven(self) -> bool:
        """Whether the value is known."""
        return self.value != "unknown"

    @property
    def score(self) -> Score:
        """The value as a score; 0 for a draw or while it is unknown."""
        if self.value == "win":
            return Score.win(self.plies, self.exact)
        return Score.loss(self.plies, self.exact) if self.value == "loss" else Score(0)

    def verdict(self) -> str:
        """The value in words: "win in 5", "draw", "unknown, between -2 and 3 so far"."""
        if self.proven:
            return "draw" if self.value == "draw" else str(self.score)
        if self.low is None and self.high is None:
            return "unknown"
        return f"unknown, between {self.low} and {self.high} so far"


Inform = Callable[[Solution], None] | None
"""A function that a running solver calls with its findings so far."""


class Solver:
    """Base class of all solvers: `Solver(hash=64, threads=1, **options)`, options of the game."""

    flags: ClassVar[dict[str, str]] = {}
    """Settings of `solve` that are on or off, with their help: `--name` of `ttt solve`."""
    values: ClassVar[dict[str, tuple[str, str]]] = {}
    """Settings that take a value, with its placeholder and their help."""
    exact_plies: ClassVar[bool] = False
    """Whether the plies of a solution are exact, not a bound."""
    has_threats: ClassVar[bool] = False
    """Whether `threats` works for this game."""

    saved: bool = False
    """Whether the latest call of `solve` wrote its checkpoint when it ended."""

    start: Board
    """The first position of the game, with the options of the solver."""

    def __init__(self, hash: int = 64, threads: int = 1, **options: Any) -> None:
        raise NotImplementedError

    @classmethod
    def covers(cls, options: dict[str, Any]) -> bool:
        """Whether the solver supports these options of the game."""
        return True

    @classmethod
    def settings(cls) -> tuple[str, ...]:
        """The names of the settings of `solve`."""
        return tuple(name.replace("-", "_") for name in (*cls.flags, *cls.values))

    def solve(
        self,
        board: Board,
        limit: Limit | None = None,
        *,
        nodes: int | None = None,
        time: float | None = None,
        on_info: Inform = None,
        **settings: Any,
    ) -> Solution:
        """Solves a position; if a limit is reached first, returns what has been found."""
        self.check(board)
        if settings:
            valid = ("nodes", "time", "on_info", *self.settings())
            reject_unknown(f"solve of {board.game}", settings, valid)
        limit = as_limit(limit, nodes=nodes, time=time)
        if limit.depth is not None:
            raise ValueError("a solver has no depth limit: give nodes or time")
        return self.solve_within(board.copy(), Budget(limit), on_info, **settings)

    def check(self, board: Board) -> None:
        """Raises unless the solver is for the game and the options of the board."""
        if not isinstance(board, Board):
            raise TypeError(f"expected a ttt.Board, not {type(board).__name__}")
        if board.game != self.start.game:
            raise ValueError(f"the solver is for {self.start.game}, the board is {board.game}")
        if board.ruleset.options != self.start.ruleset.options:
            raise ValueError("the board has other options than the solver")

    def solve_within(
        self, board: Board, budget: Budget, on_info: Inform = None, **settings: Any
    ) -> Solution:
        """The game's own part of `solve`; it may keep the board."""
        raise NotImplementedError

    def solve_many(self, positions: Iterable[Board | str], **settings: Any) -> Any:
        """The scores of many positions in one call, if the solver supports that."""
        raise ValueError(
            f"solve_many is not available for {self.start.game} with these options; use solve"
        )

    @classmethod
    def worth_asking(cls, board: Board, limit: Limit) -> bool:
        """Whether a search should spend this limit on the solver. A class method, because a solver
        allocates its tables when it is created."""
        return True

    def use_book(self, path: str) -> None:
        """Reads an opening book, if the solver supports that."""
        raise ValueError(f"books are not available for {self.start.game} with these options")

    def in_book(self, board: Board) -> bool:
        """Whether the opening book has the position."""
        return False

    def expects_win(self, board: Board) -> bool:
        """Whether an earlier answer implies that the side to move wins: then the engine lets the
        solver spend the whole limit on finding the win."""
        return False

    def try_within(self, board: Board, limit: Limit) -> Solution:
        """A solution for the engine's search, which may be less complete than that of `solve`."""
        return self.solve(board, limit)

    def threats(self, board: Board) -> list[Move] | None:
        """A winning sequence of threats for the side to move, if the solver supports that."""
        raise ValueError(f"{board.game} has no threat search")

    def stop(self) -> None:
        """Ends a call that is running in another thread."""
        raise NotImplementedError

    def clear(self) -> None:
        """Empties the tables."""
        raise NotImplementedError


@lru_cache(maxsize=1)
def solved_games() -> tuple[str, ...]:
    """The games that have their own solver."""
    from ttt import solvers

    files = {name for folder in solvers.__path__ for name in modules_in(folder)}
    return tuple(game for game in games() if game in files)


@lru_cache(maxsize=64)
def solver_class(game: str) -> type[Solver] | None:
    """The class of a game's own solver; None if it has none."""
    board_class(game)
    if game not in solved_games():
        return None
    found: type[Solver] = import_module(f"ttt.solvers.{game}").SOLVER
    return found
