"""Connect Four: moves are columns, `4`; a whole game is `4455`."""

from ttt.board import Board, Layout
from ttt.notation import Spelling
from ttt.options import Whole
from ttt_core.games import connect4
from ttt_core.move import Move


class Connect4Board(Board, connect4.Position, core=connect4):
    __slots__ = ()

    game = "connect4"
    title = "Connect Four"
    goal = "four in a row, discs fall"
    choices = (
        Whole("columns", 7, 32, "columns"),
        Whole("rows", 6, 63, "rows"),
        Whole("connect", 4, 63, "discs in a row that win"),
    )
    evaluation_scale = 50.0
    bench = (13, ("", "4", "44", "4455", "3642716"))
    text_row = 0
    headings_below = True
    drops = True

    def rules(self) -> str:
        connect = self.ruleset.options[2]
        return (
            "You and your opponent drop discs into columns in turn; x moves first.\n"
            "A disc falls to the lowest empty cell of its column.\n"
            f"{connect} discs in a row, in any direction, win."
        )

    @classmethod
    def name_moves(cls, options: tuple[int, ...]) -> list[Move]:
        return [Move(str(i + 1), i) for i in range(options[0])]

    @property
    def spelling(self) -> Spelling:
        columns = self.layout.width
        pattern = r"([1-9])" if columns <= 9 else r"([1-9][0-9]?)(?![0-9])"
        return Spelling(pattern, f"a column, 1-{columns}")

    @property
    def layout(self) -> Layout:
        columns, rows, _ = self.ruleset.options
        return Layout(columns, rows)

    def why_not_here(self, move: Move) -> str:
        return f"column {move} is full"

    @property
    def column_labels(self) -> list[str]:
        return [str(column + 1) for column in range(self.layout.width)]

    def cell_name(self, cell: int) -> str:
        columns, rows, _ = self.ruleset.options
        return f"{cell % columns + 1}-{rows - cell // columns}"

    def move_at(self, cell: int) -> Move:
        return self.ruleset.moves[cell % self.layout.width]

    def last_cell(self) -> int | None:
        if not self.moves:
            return None
        columns = self.layout.width
        column = self.peek().number
        return next(i for i in range(column, len(self.marks), columns) if self.marks[i] != ".")


BOARD = Connect4Board
