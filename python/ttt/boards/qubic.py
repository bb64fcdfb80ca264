"""Qubic: 4x4x4; moves are level, row and column, 1-4 each: `123`."""

from functools import lru_cache
from itertools import product

from ttt.board import Board, Layout
from ttt.notation import Spelling
from ttt_core.games import qubic
from ttt_core.move import Move


@lru_cache(maxsize=1)
def all_lines() -> list[tuple[int, ...]]:
    """The 76 lines of four cells: each coordinate is fixed, rises from 0 to 3, or falls."""
    ways = [[(i,) * 4 for i in range(4)] + [(0, 1, 2, 3), (3, 2, 1, 0)]] * 3
    lines = {
        tuple(
            sorted(16 * level + 4 * row + column for level, row, column in zip(*way, strict=True))
        )
        for way in product(*ways)
    }
    return sorted(line for line in lines if len(set(line)) == 4)


class QubicBoard(Board, qubic.Position, core=qubic):
    __slots__ = ()

    game = "qubic"
    title = "Qubic"
    goal = "four in a line in a cube of 4x4x4"
    evaluation_scale = 20.0
    bench = (6, ("", "222", "111 222", "111 444 222", "111 444 114 441"))
    text_row = 16
    stacked = True
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

    def winning_lines(self) -> list[tuple[int, ...]]:
        return all_lines()

    @property
    def row_labels(self) -> list[str]:
        return ["1", "2", "3", "4"]

    @property
    def column_labels(self) -> list[str]:
        return ["1", "2", "3", "4"]


BOARD = QubicBoard
