"""What a session asks for moves: the engine, which uses the time it is given, or any player."""

from typing import Any, Protocol

from ttt.board import Board
from ttt.engine import Engine
from ttt.limits import Limit


class Thinker(Protocol):
    """Chooses the moves of a session."""

    def new_game(self) -> None:
        """Forgets the last game."""

    def choose(self, board: Board, limit: Limit) -> str:
        """A legal move, within about the time of the limit."""


class EngineThinker:
    """The engine, for the game and options of `board`."""

    def __init__(self, board: Board, hash: int = 64, threads: int = 1) -> None:
        self.engine = Engine(board.game, hash=hash, threads=threads, **board.options)
        self._used = False

    def new_game(self) -> None:
        if self._used:  # it takes time to clear the tables
            self.engine.clear()
        self._used = False

    def choose(self, board: Board, limit: Limit) -> str:
        self._used = True
        return self.engine.play(board, limit)


class PlayerThinker:
    """A player with limits of its own."""

    def __init__(self, player: Any) -> None:
        self.player = player

    def new_game(self) -> None:
        if hasattr(self.player, "new_game"):
            self.player.new_game(0)

    def choose(self, board: Board, limit: Limit) -> str:
        move: str = self.player.choose(board)
        return move
