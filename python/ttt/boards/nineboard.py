"""Nine-board tic-tac-toe: a mark in cell i sends the opponent to board i; a line anywhere wins."""

from ttt.boards._nine import NineBoards
from ttt.options import Choice
from ttt.outcome import Termination
from ttt_core.games import nineboard


class NineboardBoard(NineBoards, nineboard.Position, core=nineboard):
    __slots__ = ()

    game = "nineboard"
    title = "Nine-board tic-tac-toe"
    goal = "three in a row on any of nine boards"
    choices = (
        Choice(
            "full", ("any", "draw"), "sent to a full board: play on any board, or the game is drawn"
        ),
    )
    evaluation_scale = 16.0
    bench = (9, ("", "55", "13", "11 15 52", "55 51 12 27 76"))

    def rules(self) -> str:
        full = "Sent to a full board, you may play on any other."
        if self.options["full"] == "draw":
            full = "A move that points to a full board draws the game."
        return (
            "Your cell is your opponent's next board: a mark in cell 3 leads to board 3.\n"
            "Three marks in a row on any board win the game.\n"
            f"{full} X moves first, anywhere."
        )

    def draw_reason(self) -> Termination:
        return Termination.POINTED if self.options["full"] == "draw" else Termination.FULL


BOARD = NineboardBoard
