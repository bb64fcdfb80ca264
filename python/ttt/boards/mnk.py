"""m,n,k: any board of up to 64 cells; moves are a column letter and a row, `b3`."""

from ttt.board import Board, Layout
from ttt.notation import Spelling
from ttt.options import Whole
from ttt_core.games import mnk
from ttt_core.move import Move

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def column_name(column: int) -> str:
    """a to z, then aa, ab and so on, as in a spreadsheet."""
    return (LETTERS[column // 26 - 1] if column >= 26 else "") + LETTERS[column % 26]


class MnkBoard(Board, mnk.Position, core=mnk):
    __slots__ = ()

    game = "mnk"
    title = "m,n,k"
    goal = "k in a row on a board of m columns and n rows"
    choices = (
        Whole("m", 3, 64, "columns"),
        Whole("n", 3, 64, "rows"),
        Whole("k", 3, 64, "marks in a row that win"),
    )
    evaluation_scale = 50.0
    bench = (9, ("", "b2", "a1 b2", "b2 a1"))
    text_row = 0

    def rules(self) -> str:
        m, n, k = self.ruleset.options
        return (
            f"You and your opponent mark cells of a {m} x {n} board in turn; x moves first.\n"
            f"{k} marks in a row, in any direction, win."
        )

    @classmethod
    def name_moves(cls, options: tuple[int, ...]) -> list[Move]:
        m, n, _ = options
        return [Move(f"{column_name(i % m)}{i // m + 1}", i) for i in range(m * n)]

    @property
    def spelling(self) -> Spelling:
        return Spelling(
            r"([a-z]{1,2})([1-9][0-9]?)", "a column letter and a row number, such as b3"
        )

    @property
    def layout(self) -> Layout:
        m, n, _ = self.ruleset.options
        return Layout(m, n)

    @property
    def row_labels(self) -> list[str]:
        return [str(row + 1) for row in range(self.layout.height)]

    @property
    def column_labels(self) -> list[str]:
        return [column_name(column) for column in range(self.layout.width)]


BOARD = MnkBoard
