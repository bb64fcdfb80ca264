"""Scores: an evaluation, a win or a loss, from the view of the side to move."""

from functools import total_ordering
from typing import Any

WIN = 32_000
"""The core's encoding of scores: WIN - n is a win in n plies, n - WIN a loss in n plies."""
DECIDED = 31_000
"""The core's score of a win in an unknown number of plies; all higher scores are wins too."""


def _check_whole(name: str, value: object) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name}={value!r}: expected a whole number")


@total_ordering
class Score:
    """An evaluation, a win or a loss, for the side to move. Better scores are greater.

    >>> Score(12), Score.win(5), Score.loss(8)
    (Score(12), Score.win(5), Score.loss(8))
    >>> Score.win(3) > Score.win(5) > Score(12) > Score.loss(8)
    True
    >>> print(-Score.win(5))
    loss in 5

    If a search or a solver has not excluded a quicker end, the plies are an upper bound. Such a
    score is equal to the one with exact plies.

    >>> print(Score.win(59, exact=False))
    win in at most 59
    """

    __slots__ = ("_core", "exact")
    _core: int
    exact: bool
    """Whether `plies` is exact, not an upper bound."""

    def __init__(self, evaluation: int = 0) -> None:
        _check_whole("evaluation", evaluation)
        if not -DECIDED < evaluation < DECIDED:
            raise ValueError(f"evaluation={evaluation}: expected {1 - DECIDED} to {DECIDED - 1}")
        self._core = evaluation
        self.exact = True

    @classmethod
    def from_core(cls, number: int, exact: bool = True) -> "Score":
        """The score for a number of the core."""
        score = cls()
        score._core = number
        score.exact = exact or score.plies is None
        return score

    @classmethod
    def win(cls, plies: int | None = None, exact: bool = True) -> "Score":
        """A win in a number of plies, or in at most so many; None: the number is not known."""
        if plies is not None:
            _check_whole("plies", plies)
            if not 0 <= plies < WIN - DECIDED:
                raise ValueError(f"plies={plies}: expected 0 to {WIN - DECIDED - 1}")
        return cls.from_core(DECIDED if plies is None else WIN - plies, exact)

    @classmethod
    def loss(cls, plies: int | None = None, exact: bool = True) -> "Score":
        """A loss in a number of plies, or in at most so many; None: the number is not known."""
        return -cls.win(plies, exact)

    @classmethod
    def of_outcome(cls, value: int | None) -> "Score":
        """The score for a `Board.outcome_value`; 0 while the game is running."""
        return cls.win(0) if value == 1 else cls.loss(0) if value == -1 else cls(0)

    @property
    def evaluation(self) -> int | None:
        """The static evaluation in its own units; None for a win or a loss."""
        return self._core if -DECIDED < self._core < DECIDED else None

    @property
    def value(self) -> str | None:
        """ "win" or "loss"; None for an evaluation."""
        return None if self.evaluation is not None else "win" if self._core > 0 else "loss"

    @property
    def plies(self) -> int | None:
        """Plies to the end of the game, at most so many unless `exact`; None for an evaluation, or
        if not known."""
        return WIN - abs(self._core) if abs(self._core) > DECIDED else None

    @property
    def win_in(self) -> int | None:
        """Plies to a win; None if this is not a win, or not known."""
        return self.plies if self._core > 0 else None

    @property
    def loss_in(self) -> int | None:
        """Plies to a loss; None if this is not a loss, or not known."""
        return self.plies if self._core < 0 else None

    @property
    def sign(self) -> int:
        """1 if good for the side to move, -1 if bad, 0 if neither."""
        return (self._core > 0) - (self._core < 0)

    def __neg__(self) -> "Score":
        return Score.from_core(-self._core, self.exact)

    def before(self) -> "Score":
        """The score of the move that led here, for the side that made it: one ply earlier."""
        if self.plies is None:
            return -self
        kind = Score.loss if self._core > 0 else Score.win
        return kind(self.plies + 1, self.exact)

    def after(self) -> "Score":
        """The score of the position after the move with this score: the inverse of `before`."""
        if self.plies is None:
            return -self
        kind = Score.loss if self._core > 0 else Score.win
        return kind(self.plies - 1, self.exact)

    def __eq__(self, other: object) -> bool:
        return self._core == other._core if isinstance(other, Score) else NotImplemented

    def __lt__(self, other: "Score") -> bool:
        return self._core < other._core if isinstance(other, Score) else NotImplemented

    def __hash__(self) -> int:
        return hash(("Score", self._core))

    def __str__(self) -> str:
        if self.evaluation is not None:
            return f"{self.evaluation:+d}"
        most = "" if self.exact else "at most "
        return f"{self.value}" if self.plies is None else f"{self.value} in {most}{self.plies}"

    def __repr__(self) -> str:
        if self.evaluation is not None:
            return f"Score({self.evaluation})"
        exact = "" if self.exact else ", exact=False"
        return f"Score.{self.value}({'' if self.plies is None else self.plies}{exact})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Score.from_core, (self._core, self.exact)
