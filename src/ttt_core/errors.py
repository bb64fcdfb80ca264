"""What ttt raises on bad input: each is a ValueError and says what would be right."""


class BadNotation(ValueError):
    """A text that is no move, position, game or option."""


class IllegalMove(ValueError):
    """A move that reads well but cannot be played in this position."""
