from array import array
from collections.abc import Callable
from typing import Any, ClassVar

from typing_extensions import Self

class Solver:
    widest: ClassVar[int]
    tallest: ClassVar[int]
    hash: int
    plans: bool
    def __new__(cls, columns: int, rows: int, hash: int = 32) -> Self: ...
    def resize(self, hash: int) -> None: ...
    def clear(self) -> None: ...
    def stop(self) -> None: ...
    def pack(self, marks: str, turn: str) -> tuple[int, int]: ...
    def pack_moves(self, moves: str) -> tuple[int, int] | None: ...
    def plan_beats(self, mover: int, other: int, alpha: int) -> bool: ...
    def solve(
        self,
        mine: int,
        theirs: int,
        weak: bool,
        nodes: int,
        limit: float,
        threads: int,
        on_info: Callable[[int, int, int, float], None] | None,
        low: int = -64,
        high: int = 64,
    ) -> dict[str, Any]: ...
    def solve_many(
        self,
        mine: array[int],
        theirs: array[int],
        weak: bool,
        nodes: int,
        limit: float,
        threads: int,
    ) -> tuple[array[int], array[int], array[int], BaseException | None]: ...
