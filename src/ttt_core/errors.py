"""What ttt raises on bad input: each is a ValueError and says what would be right."""


class BadNotation(ValueError):
    """A text that is no move, position, game or option."""


class IllegalMove(ValueError):
    """A move that reads well but cannot be played in this position."""


def shorten(value: object) -> str:
    """A value for a message: its repr, on one line and not too long."""
    text = repr(value)
    return text if len(text) <= 60 else text[:40] + "..." + text[-10:]
