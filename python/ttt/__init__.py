"""The tic-tac-toe family as objects: boards, moves and outcomes over a compiled core.

>>> import ttt
>>> board = ttt.Board("nineboard")
>>> board.push("5 6")
>>> board.legal_moves[:3]
[Move('6 1'), Move('6 2'), Move('6 3')]
"""

from ttt.board import Board, Outcome, games
from ttt.engine import Engine, Result
from ttt.plain import plain_search
from ttt.version import __version__
from ttt_core.errors import BadNotation, IllegalMove
from ttt_core.move import Move

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
