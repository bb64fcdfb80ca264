"""Ratings: the Elo difference of two players with its confidence interval, the likelihood of
superiority, and the sequential probability ratio test (SPRT)."""

import math
from collections.abc import Sequence
from typing import NamedTuple

Z95 = 1.959963984540054
"""The normal distribution's quantile for a two-sided interval of 95%."""


def expected_score(elo: float) -> float:
    """The expected score, from 0 to 1, of a player who is `elo` points stronger."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    """The Elo difference of a score from 0 to 1; infinite for 0 and 1."""
    if score <= 0:
        return -math.inf
    return math.inf if score >= 1 else 0.0 - 400 * math.log10(1 / score - 1)


class Rating(NamedTuple):
    """The result of a match for its first player."""

    score: float
    """Points per game, from 0 to 1."""
    elo: float
    """The Elo difference of this score."""
    low: float
    """The lower end of its 95% confidence interval."""
    high: float
    """The upper end."""
    los: float
    """Likelihood of superiority: the probability that the first player is the stronger one."""


def rate(won: int, drawn: int, lost: int, pairs: Sequence[float] = ()) -> Rating:
    """A rating from the counts of games. `pairs` are the mean scores of pairs of games that share
    an opening; if given, they determine the variance (the pentanomial model), because the two games
    of a pair are not independent.

    The confidence interval is Wilson's for n games, where n is the number of decisive games that
    would have the observed variance. One end stays finite for a score of 0 or 1.
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
    n: float = games
    if variance > 1e-12 and 0 < score < 1:
        n = games * score * (1 - score) / variance
    spread = Z95**2 / n
    middle = (score + spread / 2) / (1 + spread)
    half = Z95 / (1 + spread) * math.sqrt(score * (1 - score) / n + spread / (4 * n))
    decisive = won + lost
    los = 0.5
    if decisive:
        los = 0.5 + 0.5 * math.erf((won - lost) / math.sqrt(2 * decisive))
    return Rating(score, elo_of(score), elo_of(middle - half), elo_of(middle + half), los)


class Sprt(NamedTuple):
    """A sequential probability ratio test of H1 (the difference is `elo1`) against H0 (`elo0`)."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    """Probability of accepting H1 although H0 is true."""
    beta: float = 0.05
    """Probability of accepting H0 although H1 is true."""

    def llr(self, scores: Sequence[float]) -> float:
        """The log-likelihood ratio of H1 to H0, by the normal approximation; `scores` are
        independent scores: of games, or mean scores of pairs."""
        count = len(scores)
        if count < 2:
            return 0.0
        mean = sum(scores) / count
        # One extra draw: without it, a run of equal results would have variance 0.
        variance = (sum((score - mean) ** 2 for score in scores) + (0.5 - mean) ** 2) / count
        if variance <= 0:
            return 0.0
        low, high = expected_score(self.elo0), expected_score(self.elo1)
        return count * (high - low) * (2 * mean - low - high) / (2 * variance)

    def accepted(self, scores: Sequence[float]) -> str | None:
        """ "H1" or "H0" if the test accepts one of them; None while it is undecided."""
        llr = self.llr(scores)
        if llr >= math.log((1 - self.beta) / self.alpha):
            return "H1"
        if llr <= math.log(self.beta / (1 - self.alpha)):
            return "H0"
        return None


def parse_sprt(text: str) -> Sprt:
    """The test of a text such as "0,10" or "0,10,0.05,0.05"."""
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
            f"sprt={text!r}: expected ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA, ELO0 < ELO1, such as 0,10"
        )
    return sprt
