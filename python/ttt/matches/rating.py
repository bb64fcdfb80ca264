"""What the score of a match tells of strength: Elo, its interval, superiority, and when to stop."""

import math
from collections.abc import Sequence
from typing import NamedTuple

Z95 = 1.959963984540054


def expected_score(elo: float) -> float:
    """The share of points that so many Elo more than the other side bring."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    """The Elo difference of a share of points; infinite for 0 and 1."""
    if score <= 0:
        return -math.inf
    return math.inf if score >= 1 else 0.0 - 400 * math.log10(1 / score - 1)


class Rating(NamedTuple):
    """The Elo difference that a match shows, for its first player."""

    score: float
    """The share of points."""
    elo: float
    low: float
    """The lower end of the 95% interval, in Elo."""
    high: float
    superiority: float
    """How likely it is that the first player is the stronger one."""


def rate(won: int, drawn: int, lost: int, pairs: Sequence[float] = ()) -> Rating:
    """A rating from the games, or from the mean score of each pair of games where pairs share an
    opening: games of a pair are alike, and count as that many only as far as they differ.

    The interval is Wilson's, with the number of games at which a coin of the same score would
    vary as much as these games do; it stays sensible for a score of 0 or 1.
    """
    games = won + drawn + lost
    if not games:
        return Rating(0.5, 0.0, -math.inf, math.inf, 0.5)
    score = (won + drawn / 2) / games
    if len(pairs) > 1:
        mean = sum(pairs) / len(pairs)
        variance = 2 * sum((pair - mean) ** 2 for pair in pairs) / (len(pairs) - 1)
    else:
        variance = (won + drawn / 4) / games - score**2
    weight: float = games
    if variance > 1e-12 and 0 < score < 1:
        weight = games * score * (1 - score) / variance
    spread = Z95**2 / weight
    middle = (score + spread / 2) / (1 + spread)
    half = Z95 / (1 + spread) * math.sqrt(score * (1 - score) / weight + spread / (4 * weight))
    decisive = won + lost
    superiority = 0.5
    if decisive:
        superiority = 0.5 + 0.5 * math.erf((won - lost) / math.sqrt(2 * decisive))
    return Rating(score, elo_of(score), elo_of(middle - half), elo_of(middle + half), superiority)


class Sprt(NamedTuple):
    """A sequential test: stop as soon as the games speak for `elo1` or for `elo0`."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    """How often a match may end for elo1 though elo0 is true."""
    beta: float = 0.05
    """How often a match may end for elo0 though elo1 is true."""

    def ratio(self, units: Sequence[float]) -> float:
        """The logarithm of the likelihood ratio of elo1 to elo0, by the normal approximation;
        `units` are the scores of games, or the mean scores of pairs."""
        count = len(units)
        if count < 2:
            return 0.0
        mean = sum(units) / count
        # One made-up draw keeps a run of equal results from counting as certain.
        variance = (sum((unit - mean) ** 2 for unit in units) + (0.5 - mean) ** 2) / count
        if variance <= 0:
            return 0.0
        low, high = expected_score(self.elo0), expected_score(self.elo1)
        return count * (high - low) * (2 * mean - low - high) / (2 * variance)

    def verdict(self, units: Sequence[float]) -> str | None:
        """ "elo1", "elo0", or None while the match must go on."""
        ratio = self.ratio(units)
        if ratio >= math.log((1 - self.beta) / self.alpha):
            return "elo1"
        if ratio <= math.log(self.beta / (1 - self.alpha)):
            return "elo0"
        return None


def parse_sprt(text: str) -> Sprt:
    """The test of a text such as 0,10 or 0,10,0.05,0.05."""
    try:
        sprt = Sprt(*map(float, text.split(",")))
    except (ValueError, TypeError):
        sprt = Sprt(0, 0)
    if not (
        all(map(math.isfinite, sprt))
        and sprt.elo0 < sprt.elo1
        and 0 < sprt.alpha < 0.5
        and 0 < sprt.beta < 0.5
    ):
        raise ValueError(
            f"sprt {text!r}: ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA, such as 0,10 (ELO0 < ELO1)"
        )
    return sprt
