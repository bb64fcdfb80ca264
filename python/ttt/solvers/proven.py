"""What an engine has proven: it stays known while the engine lives, whatever its tables forget."""

from collections import OrderedDict
from typing import NamedTuple

from ttt.board import Board
from ttt.score import Score
from ttt.solvers.base import Solution
from ttt_core.move import Move

CAPACITY = 1 << 14
"""Positions. Beyond that, the one that was used longest ago is forgotten: at most some 20 MB."""


class Proven(NamedTuple):
    """A proven position."""

    solution: Solution
    line: list[Move]
    """The moves expected with best play, the best move first."""
    final: bool
    """Whether a search could add nothing: the number of plies is exact, or no solver knows more,
    and the moves leave no choice."""


class ProvenPositions:
    """Proven positions of one game with the same options."""

    def __init__(self) -> None:
        self._entries: OrderedDict[object, Proven] = OrderedDict()

    def find(self, board: Board) -> Proven | None:
        """What is known about a position; None if it is not proven."""
        key = board.picture()
        found = self._entries.get(key)
        if found is not None:
            self._entries.move_to_end(key)
        return found

    def add(self, board: Board, found: Proven) -> None:
        """Stores a proven position, unless more is known about it."""
        key = board.picture()
        before = self._entries.get(key)
        if before is not None and not knows_more(found, before):
            return
        spent = found.solution._replace(nodes=0, seconds=0.0, details={})  # not again
        self._entries[key] = found._replace(solution=spent)
        if len(self._entries) > CAPACITY:
            self._entries.popitem(last=False)

    def clear(self) -> None:
        """Forgets everything."""
        self._entries.clear()

    def __len__(self) -> int:
        return len(self._entries)


def proven_solution(score: Score, best: list[Move]) -> Solution:
    """The solution that a proven score and best moves amount to."""
    return Solution(
        value=score.value or "draw",
        game_score=None,
        plies=score.plies,
        move=best[0],
        best=best,
        low=None,
        high=None,
        nodes=0,
        seconds=0.0,
        details={},
        exact=score.exact,
    )


def knows_more(new: Proven, old: Proven) -> bool:
    """Whether a proof has a move, a score in the game's own units, the exact number of plies or
    more best moves, and the other does not; or a shorter win."""
    return rank(new) > rank(old)


def rank(found: Proven) -> tuple[object, ...]:
    solution = found.solution
    plies = 0 if solution.plies is None else solution.plies
    return (
        solution.move is not None,
        solution.game_score is not None,
        found.final,
        solution.plies is not None,
        -plies if solution.value == "win" else plies,
        len(solution.best),
    )
