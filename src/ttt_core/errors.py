"""The exceptions for invalid input: each is a ValueError, and its message says what is valid."""


class BadNotation(ValueError):
    """A text that does not describe a move, position, game or option."""


class IllegalMove(ValueError):
    """A move that cannot be played in this position."""


def shorten(value: object) -> str:
    """A value for a message: its repr, at most 60 characters of it."""
    text = repr(value)
    return text if len(text) <= 60 else text[:40] + "..." + text[-10:]
