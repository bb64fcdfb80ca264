"""The Python face that every module of `ttt_core.training` has: a stub, not a module."""

from typing import Any

from typing_extensions import Self

SHAPE: tuple[int, int]

class Lessons:
    def __new__(cls, options: tuple[int, ...]) -> Self: ...
    def slopes(
        self, games: Any, weights: Any, slopes: Any | None, decay: float, odds: float
    ) -> tuple[float, int]: ...
