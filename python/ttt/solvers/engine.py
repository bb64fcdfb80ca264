"""The engine as a solver, for games and options without their own solver."""

from collections.abc import Callable
from typing import Any, Protocol

from ttt.board import Board
from ttt.limits import Budget, Limit
from ttt.search.result import Line, Result
from ttt.solvers.base import Inform, Solution, Solver
from ttt.solvers.proven import Proven


class Searcher(Protocol):
    """The methods of an engine that it uses."""

    def search(
        self,
        board: Board,
        limit: Limit | None = None,
        *,
        on_info: Callable[[Result], None] | None = None,
    ) -> Result: ...

    def stop(self) -> None: ...

    def clear(self) -> None: ...


class EngineSolver(Solver):
    """Searches a position to the end."""

    def __init__(self, engine: Searcher, start: Board) -> None:
        self.engine = engine
        self.start = start

    def solve_within(
        self, board: Board, budget: Budget, on_info: Inform = None, **settings: Any
    ) -> Solution:
        def inform(result: Result) -> None:
            if on_info is not None:
                on_info(solution_of(result))

        return solution_of(self.engine.search(board, budget.limit, on_info=inform))

    def stop(self) -> None:
        self.engine.stop()

    def clear(self) -> None:
        self.engine.clear()


def solution_of(result: Result) -> Solution:
    """The result of a search as a solution."""
    value = (result.score.value or "draw") if result.proven else "unknown"
    return Solution(
        value=value,
        game_score=None,
        plies=result.plies,
        move=result.move,
        best=[result.move] if result.proven and result.move else [],
        low=None,
        high=None,
        nodes=result.nodes,
        seconds=result.seconds,
        details={"depth": result.depth},
        exact=result.score.exact,
    )


def result_of(board: Board, proven: Proven) -> Result:
    """A proven position as the result of a search."""
    solution, line = proven.solution, proven.line
    assert solution.move is not None
    left = len(board.marks) - board.ply
    return Result(
        move=solution.move,
        score=solution.score,
        proven=True,
        depth=left,
        selective_depth=left,
        line=line,
        lines=[Line(solution.score, line)],
        nodes=solution.nodes,
        terminal=0,
        horizon=0,
        table_hits=0,
        table_fill=0.0,
        seconds=solution.seconds,
    )
