"""What a solver is and what it answers.

A game's own solver is the class that `ttt.solvers.<game>` binds to SOLVER; the other games, and
options a solver does not cover, are searched to the end by the engine.
"""

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from os import listdir
from typing import Any, ClassVar, NamedTuple

from ttt.board import Board, board_class, games
from ttt_core.move import Move


class Solution(NamedTuple):
    """What is known of a position, for the side to move."""

    value: str
    """"win", "draw" or "loss"; "unknown" if a limit came first."""
    score: int | None
    """The game's own exact score where it has one; `details` may say more."""
    plies: int | None
    """To the end of a game that is won or lost; None if drawn or not known."""
    move: Move | None
    best: list[Move]
    """Every best move, as far as they were asked for and found."""
    low: int | None
    high: int | None
    """The score is between them so far."""
    nodes: int
    seconds: float
    details: dict[str, Any]
    """The game's own findings and counters."""

    def verdict(self) -> str:
        """The value in words: "win in 5", "draw", "between -2 and 3"."""
        if self.value != "unknown":
            return self.value if self.plies is None else f"{self.value} in {self.plies}"
        if self.low is None and self.high is None:
            return "unknown"
        return f"unknown, between {self.low} and {self.high} so far"


class Solver:
    """What every solver offers: `Solver(hash=64, threads=1, **options of the game)`."""

    flags: ClassVar[dict[str, str]] = {}
    """Settings of `solve` that a name switches on, with their help: `--name` of `ttt solve`."""
    exact_plies: ClassVar[bool] = False
    """Whether the plies of a solution are those of best play on both sides, not a bound."""
    has_threats: ClassVar[bool] = False
    """Whether `threats` has an answer for this game."""
    values: ClassVar[dict[str, tuple[str, str]]] = {}
    """Settings that take a value: what it is called, and their help."""

    def __init__(self, hash: int = 64, threads: int = 1, **options: Any) -> None:
        raise NotImplementedError

    @classmethod
    def covers(cls, options: dict[str, Any]) -> bool:
        """Whether it solves the game with these options."""
        return True

    def solve(
        self,
        board: Board,
        nodes: int | None = None,
        time: float | None = None,
        on_info: Callable[[Solution], None] | None = None,
        **settings: Any,
    ) -> Solution:
        """Solves a position, or says what was found when a limit was reached."""
        raise NotImplementedError

    @classmethod
    def worth_asking(cls, board: Board, nodes: int | None, time: float | None) -> bool:
        """Whether a search should spend so much on it; a class method, for tables cost time too."""
        return True

    def try_within(self, board: Board, nodes: int | None, time: float | None) -> Solution:
        """What these limits suffice for."""
        return self.solve(board, nodes, time)

    def threats(self, board: Board) -> list[Move] | None:
        """The chain of threats by which the side to move wins, where the game has such a search."""
        raise ValueError(f"{board.game} has no threat search")

    def stop(self) -> None:
        """Ends a call that runs in another thread."""
        raise NotImplementedError

    def clear(self) -> None:
        """Forgets what was found."""
        raise NotImplementedError


@lru_cache(maxsize=1)
def solved_games() -> tuple[str, ...]:
    """The games that have a solver of their own."""
    from ttt import solvers

    files = {name for folder in solvers.__path__ for name in listdir(folder)}
    return tuple(game for game in games() if f"{game}.py" in files)


@lru_cache(maxsize=64)
def solver_class(game: str) -> type[Solver] | None:
    """The class of a game's own solver; None if it has none."""
    board_class(game)
    if game not in solved_games():
        return None
    found: type[Solver] = import_module(f"ttt.solvers.{game}").SOLVER
    return found
