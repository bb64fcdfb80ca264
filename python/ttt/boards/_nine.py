"""The base of the two games on nine boards: moves are `5 6` (board, cell), 1-9 each."""

from ttt.board import Board, Layout
from ttt.notation import Spelling
from ttt_core.move import Move

CELLS = tuple("123456789")


class NineBoards(Board):
    __slots__ = ()

    text_row = 9
    numbers_cells = True
    has_board_in_force = True

    @classmethod
    def name_moves(cls, options: tuple[int, ...]) -> list[Move]:
        return [Move(f"{i // 9 + 1} {i % 9 + 1}", i) for i in range(81)]

    @property
    def spelling(self) -> Spelling:
        return Spelling(
            r"([1-9])[ ,.-]?([1-9])", "a board and a cell, 1-9 each, such as 5 6 or 56", " "
        )

    @property
    def layout(self) -> Layout:
        return Layout(3, 3, 9, 3)

    @property
    def board_in_force(self) -> int | str | None:
        """The board to play on, 1-9; "*" for any board; None when the game is over."""
        board = self.picture()[1]
        return board + 1 if isinstance(board, int) else board

    def parse_reply(self, text: str) -> Move:
        """Accepts a cell alone if one board is in force."""
        board = self.board_in_force
        if isinstance(board, int) and text.strip() in CELLS:
            text = f"{board} {text.strip()}"
        return self.parse_move(text)

    def why_not_here(self, move: Move) -> str:
        board = self.picture()[1]
        if isinstance(board, int) and move.number // 9 != board:
            return f"board {board + 1} is in force"
        return "that cell is taken" if self.marks[move.number] != "." else "that board is closed"

    def where(self) -> str:
        board = self.board_in_force
        return "" if board is None else " on any board" if board == "*" else f" on board {board}"
