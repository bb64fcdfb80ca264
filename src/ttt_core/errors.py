"""Exceptions. Those for invalid input are ValueErrors, and their messages say what is valid."""


class BadNotation(ValueError):
    """A text that does not describe a move, position, game or option."""


class IllegalMove(ValueError):
    """A move that cannot be played in this position."""


class Terminated(KeyboardInterrupt):
    """SIGTERM or SIGHUP, which end the command line as Ctrl-C does. Code that goes on after Ctrl-C
    must not go on after this."""


def shorten(value: object) -> str:
    """A value for a message: its repr, at most 60 characters of it."""
    text = repr(value)
    return text if len(text) <= 60 else text[:40] + "..." + text[-10:]
