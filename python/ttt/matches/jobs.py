"""The games of a series as jobs (`ttt.jobs`): a job is a number, its result the saved game."""

from functools import cached_property
from typing import Any

from ttt.jobs.worker import note
from ttt.matches.game import play_game, saved_game
from ttt.matches.record import SavedGame
from ttt.matches.series import Series
from ttt.players.spec import Player, make_player

TASK = "ttt.matches.jobs:Games"


class Games:
    """Plays the games of a series with the players that it names."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.series = Series(**settings)

    @cached_property
    def players(self) -> dict[int, Player]:
        start = self.series.board()
        texts = enumerate(self.series.players, 1)
        return {number: make_player(text, start, self.series.time) for number, text in texts}

    def __call__(self, number: int) -> SavedGame:
        """The finished game. Before each move, the moves so far are noted."""
        board = self.series.board()
        return play_game(
            self.series.fixture(number),
            board,
            self.players,
            self.series.time,
            lambda: note(" ".join(board.moves)),
        )

    def after_crash(self, number: int, moves: str | None, status: int) -> SavedGame:
        """The game of a process that died: the side to move has lost it."""
        fixture = self.series.fixture(number)
        board = self.series.board()
        board.push_moves(fixture.opening if moves is None else moves)
        error = "crash", f"its process ended with status {status}"
        return saved_game(fixture, board, [], error, board.turn)
