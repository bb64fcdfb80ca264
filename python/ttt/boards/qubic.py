"""Qubic: 4x4x4; moves are level, row and column, 1-4 each: `123`."""

from ttt.board import Board, Layout
from ttt.notation import Spelling
from ttt_core.games import qubic
from ttt_core.move import Move


class QubicBoard(Board, qubic.Position, core=qubic):
    __slots__ = ()

    game = "qubic"
    title = "Qubic"
    goal = "four in a line in a cube of 4x4x4"
    evaluation_scale = 20.0
    bench = (6, ("", "222", "111 222", "111 444 222", "111 444 114 441"))
    text_row = 16
    block_labels = ("level 1", "level 2", "level 3", "level 4")

    def rules(self) -> str:
        return (
            "You and your opponent mark cells of a 4 x 4 x 4 cube in turn; x moves first.\n"
            "Four marks in a straight line win: on a level, or through all four levels."
        )

    @classmethod
    def name_moves(cls, options: tuple[int, ...]) -> list[Move]:
        return [Move(f"{i // 16 + 1}{i // 4 % 4 + 1}{i % 4 + 1}", i) for i in range(64)]

    @property
    def spelling(self) -> Spelling:
        return Spelling(
            r"([1-4])[ ,.-]?([1-4])[ ,.-]?([1-4])", "level, row and column, 1-4 each, such as 123"
        )

    @property
    def layout(self) -> Layout:
        return Layout(4, 4, 4, 4)

    @property
    def row_labels(self) -> list[str]:
        return ["1", "2", "3", "4"]

    @property
    def column_labels(self) -> list[str]:
        return ["1", "2", "3", "4"]


BOARD = QubicBoard
