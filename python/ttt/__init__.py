"""The tic-tac-toe family as objects: boards, moves and outcomes over a compiled core.

>>> import ttt
>>> board = ttt.Board("nineboard")
>>> board.push("5 6")
>>> board.legal_moves[:3]
[Move('6 1'), Move('6 2'), Move('6 3')]
"""

from typing import TYPE_CHECKING, Any

from ttt.board import Board, Outcome, games
from ttt.version import __version__
from ttt_core.errors import BadNotation, IllegalMove
from ttt_core.move import Move

if TYPE_CHECKING:
    from ttt.engine import Engine
    from ttt.search.minimax import plain_search
    from ttt.search.result import Result

__all__ = [
    "BadNotation",
    "Board",
    "Engine",
    "IllegalMove",
    "Move",
    "Outcome",
    "Result",
    "__version__",
    "games",
    "plain_search",
]


LAZY = {
    "Engine": "ttt.engine",
    "Result": "ttt.search.result",
    "plain_search": "ttt.search.minimax",
}


def __getattr__(name: str) -> Any:
    """The search is imported when it is first asked for: boards alone start sooner."""
    if name not in LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found = globals()[name] = getattr(import_module(LAZY[name]), name)
    return found
