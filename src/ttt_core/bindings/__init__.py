"""The Python classes of a game: included by every extension module of `games`."""
