"""Tic-tac-toe: m,n,k with 3, 3, 3; moves are the cells 1-9 in reading order."""

from ttt.board import Board, Layout
from ttt.notation import Spelling
from ttt_core.games import mnk
from ttt_core.move import Move


class TicTacToeBoard(Board, mnk.Position, core=mnk):
    __slots__ = ()

    game = "tictactoe"
    title = "Tic-tac-toe"
    goal = "three in a row"
    evaluation_scale = 50.0
    bench = (9, ("", "5", "1", "1 2", "5 2"))
    text_row = 0
    numbers_cells = True

    def rules(self) -> str:
        return (
            "You and your opponent mark cells in turn; x moves first.\n"
            "Three marks in a row, in any direction, win."
        )

    @classmethod
    def core_options(cls, options: tuple[int, ...]) -> tuple[int, ...]:
        return 3, 3, 3

    @classmethod
    def name_moves(cls, options: tuple[int, ...]) -> list[Move]:
        return [Move(str(i + 1), i) for i in range(9)]

    @property
    def spelling(self) -> Spelling:
        return Spelling(r"([1-9])", "a cell, 1-9 in reading order")

    @property
    def layout(self) -> Layout:
        return Layout(3, 3)


BOARD = TicTacToeBoard
