"""The games, found by file name: each module of `ttt.boards` binds its class to BOARD.

It imports no board until one is asked for, so that modules below `ttt.board` can use it.
"""

import os
from functools import lru_cache
from importlib import import_module

from ttt_core.errors import BadNotation, shorten

TYPE_CHECKING = False  # see `ttt/__init__.py`
if TYPE_CHECKING:
    from ttt.board import Board

FOLDER = os.path.join(os.path.dirname(__file__), "boards")


def modules_in(folder: str) -> set[str]:
    """The names of the modules in a folder; they may be bytecode only."""
    names = (name.rpartition(".") for name in os.listdir(folder))
    return {stem for stem, _, suffix in names if suffix in ("py", "pyc")}


@lru_cache(maxsize=1)
def games() -> tuple[str, ...]:
    """The names of all games."""
    return tuple(sorted(name for name in modules_in(FOLDER) if name[0] != "_"))


@lru_cache(maxsize=64)
def board_class(game: str) -> "type[Board]":
    """The class of a game's boards."""
    if not isinstance(game, str):
        raise TypeError(f"expected the name of a game, not {type(game).__name__}")
    if not (game.isidentifier() and game[0] != "_" and game in games()):
        raise BadNotation(f"unknown game {shorten(game)}; choose from {', '.join(games())}")
    found: type[Board] = import_module(f"ttt.boards.{game}").BOARD
    return found
