"""What every search returns: the best move, its score and line, and the counters."""

from typing import NamedTuple

from ttt.score import DECIDED, WIN, score_in_words
from ttt_core.move import Move


class Line(NamedTuple):
    """A move with its score and what is expected to follow."""

    score: int
    moves: list[Move]


class Result(NamedTuple):
    """What a search found out, for the side to move."""

    move: Move | None
    """The best move; None when the game is over."""
    score: int
    """An evaluation, or 32,000 - n for a win with the n-th ply from here (n - 32,000: a loss), at
    most where a limit ended the search before depth n; 31,000 for a win of which only that is
    known."""
    proven: bool
    """Whether the score is the true result: a win, a loss, or a draw searched to the end."""
    depth: int
    selective_depth: int
    line: list[Move]
    lines: list[Line]
    nodes: int
    terminal: int
    horizon: int
    table_hits: int
    table_fill: float
    seconds: float

    @property
    def plies(self) -> int | None:
        """The plies to the end of a game that is won or lost; None if not, or not known."""
        return WIN - abs(self.score) if abs(self.score) > DECIDED else None

    @property
    def nodes_per_second(self) -> float:
        return self.nodes / self.seconds if self.seconds else 0.0

    def verdict(self) -> str:
        """The score in words: "+12", "win in 5", "loss in 8", "draw"."""
        return "draw" if self.proven and not self.score else score_in_words(self.score)
