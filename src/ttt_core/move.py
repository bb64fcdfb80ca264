"""A move is its canonical text, with its number attached."""


class Move(str):
    """The canonical text of a move: equal to that text, and hashed like it.

    >>> Move("7") == "7"
    True

    `number` is how the compiled core knows the move: the cell in reading order, or the column. The
    moves that boards return have it; it is -1 if a move is made from its text alone, because that
    text means different things in different games.
    """

    __slots__ = ("number",)
    number: int

    def __new__(cls, text: str, number: int = -1) -> "Move":
        if not isinstance(text, str):
            raise TypeError(f"expected the text of a move, not {type(text).__name__}")
        move = super().__new__(cls, text)
        move.number = number
        return move

    def __repr__(self) -> str:
        return f"Move({str(self)!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return Move, (str(self), self.number)
