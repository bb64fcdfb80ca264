"""Ultimate tic-tac-toe: a mark in cell i sends the opponent to board i; three boards win."""

from collections.abc import Iterable

from ttt.boards._nine import NineBoards
from ttt.options import Choice
from ttt_core.games import ultimate


class UltimateBoard(NineBoards, ultimate.Position, core=ultimate):
    __slots__ = ()

    game = "ultimate"
    title = "Ultimate tic-tac-toe"
    goal = "three won boards in a row"
    choices = (
        Choice(
            "tie", ("draw", "boards"), "no move left: a draw, or the side with more boards wins"
        ),
        Choice("won", ("closed", "open"), "won boards: closed, or playable until full"),
    )
    bench = (9, ("", "55", "19", "55 51 12 25", "55 59 97 78 82"))

    @classmethod
    def weights_name(cls, options: tuple[int, ...]) -> str:
        count_boards, _ = options
        return "ultimate-boards" if count_boards else "ultimate"

    def rules(self) -> str:
        closed = "won or full" if self.options["won"] == "closed" else "full"
        tie = "a draw" if self.options["tie"] == "draw" else "more boards win"
        return (
            "Your cell is your opponent's next board: a mark in cell 3 leads to board 3.\n"
            "Three marks in a row win a board; three won boards in a row win the game.\n"
            f"Sent to a {closed} board, play on any other. No move left: {tie}."
        )

    @property
    def owners(self) -> str:
        """Who has won each board: "x", "o" or "."."""
        return self.picture()[2]

    def line_name(self, cells: Iterable[int]) -> str:
        return "boards " + " ".join(str(board + 1) for board in sorted({i // 9 for i in cells}))

    def status(self) -> str:
        owned = [
            f"{side} owns {' '.join(str(i + 1) for i in range(9) if self.owners[i] == side)}"
            for side in ("x", "o")
            if side in self.owners
        ]
        return "; ".join([super().status(), *owned])

    @property
    def text_has_owners(self) -> bool:
        return bool(self.options["won"] == "open")


BOARD = UltimateBoard
