"""The tic-tac-toe family: boards, moves and outcomes over a compiled core, engines and solvers.

>>> import ttt
>>> board = ttt.Board("nineboard")
>>> board.push("5 6")
>>> board.legal_moves[:3]
[Move('6 1'), Move('6 2'), Move('6 3')]
"""

from ttt.board import Board, games
from ttt.version import __version__
from ttt_core.errors import BadNotation, IllegalMove
from ttt_core.move import Move

TYPE_CHECKING = False  # true for type checkers; `typing` itself takes longer to load than `ttt`
if TYPE_CHECKING:
    from ttt.engine import Engine
    from ttt.game import Game
    from ttt.limits import Limit
    from ttt.outcome import Outcome, Termination
    from ttt.score import Score
    from ttt.search.mcts import mcts_search, montecarlo_search
    from ttt.search.minimax import minimax_search
    from ttt.search.result import Line, MoveAnalysis, MoveScore, Result
    from ttt.solvers.base import Solution

__all__ = [
    "BadNotation",
    "Board",
    "Engine",
    "Game",
    "IllegalMove",
    "Limit",
    "Line",
    "Move",
    "MoveAnalysis",
    "MoveScore",
    "Outcome",
    "Result",
    "Score",
    "Solution",
    "Termination",
    "__version__",
    "games",
    "mcts_search",
    "minimax_search",
    "montecarlo_search",
]


_LAZY = {
    "Engine": "ttt.engine",
    "Game": "ttt.game",
    "Limit": "ttt.limits",
    "Line": "ttt.search.result",
    "MoveAnalysis": "ttt.search.result",
    "MoveScore": "ttt.search.result",
    "Outcome": "ttt.outcome",
    "Result": "ttt.search.result",
    "Score": "ttt.score",
    "Solution": "ttt.solvers.base",
    "Termination": "ttt.outcome",
    "mcts_search": "ttt.search.mcts",
    "minimax_search": "ttt.search.minimax",
    "montecarlo_search": "ttt.search.mcts",
}
"""Names that are imported on first use, so that boards alone start sooner."""


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found = globals()[name] = getattr(import_module(_LAZY[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
