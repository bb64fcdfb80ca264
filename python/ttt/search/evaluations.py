"""The evaluations of a game, by name."""

from ttt.board import board_class


def evaluation_number(game: str, name: str) -> int:
    """How the core knows an evaluation."""
    names = board_class(game).engine_type.evaluations
    if name not in names:
        raise ValueError(f"{game} has no evaluation {name!r}: {', '.join(names)}")
    return names.index(name)
