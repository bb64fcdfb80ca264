"""The evaluations of a game, by name."""

from ttt.board import board_class
from ttt_core.errors import shorten


def evaluation_number(game: str, name: str) -> int:
    """The number of an evaluation in the core."""
    names = board_class(game).engine_type.evaluations
    if name not in names:
        raise ValueError(
            f"unknown evaluation {shorten(name)} for {game}; choose from {', '.join(names)}"
        )
    return names.index(name)
