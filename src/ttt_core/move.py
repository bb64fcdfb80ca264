"""A move is its canonical text, with its number attached."""

from typing import Any


class Move(str):
    """The canonical text of a move: equal to that text and hashed like it.

    `number` is how the compiled core knows it: the cell in reading order, or the column.
    """

    __slots__ = ("number",)
    number: int

    def __new__(cls, text: str, number: int) -> "Move":
        move = super().__new__(cls, text)
        move.number = number
        return move

    def __repr__(self) -> str:
        return f"Move({str(self)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Move, (str(self), self.number)
