"""Loss and gradients of ultimate's learned evaluation. Arrays are numpy's or other buffers."""

from typing import Any

SHAPE: tuple[int, int]
"""Of the weights: rows, units."""

class GameLoss:
    """The logarithmic loss of the network over games, under one choice of options."""

    def __init__(self, options: tuple[int, ...]) -> None: ...
    def add_gradients(
        self, games: Any, weights: Any, gradients: Any, td_lambda: float, score_scale: float
    ) -> tuple[float, int]:
        """The loss and the number of positions; adds to `gradients` unless that is None."""
