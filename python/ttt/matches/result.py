"""The result of a series: its games, standings and rating, as a report for people and for JSON."""

import math
from dataclasses import dataclass
from typing import Any

from ttt.matches.rating import Rating, Sprt, rate
from ttt.matches.record import SavedGame
from ttt.matches.series import Series
from ttt.matches.standings import Standing, independent_scores, standings_of


@dataclass(repr=False)
class MatchResult:
    """The games of a series that have been played."""

    series: Series
    games: list[SavedGame]
    """In the order of their numbers."""
    stopped: str = ""
    """Why it ended early: "interrupted", or "H0" or "H1" if the sequential test accepted one."""
    sprt: Sprt | None = None

    def __repr__(self) -> str:
        points = ", ".join(f"{entry.player} {entry.points:g}" for entry in self.standings)
        played = f"{len(self.games)} of {self.series.total} games"
        return f"<MatchResult: {self.series.game}, {played}: {points}>"

    @property
    def standings(self) -> list[Standing]:
        """The standing of each player, in the order of the players."""
        return standings_of(self.series, self.games)

    def rating(self) -> Rating:
        """The rating of the first of two players."""
        first = self.standings[0]
        pairs = self.scores() if self.series.sides == "swap" else ()
        return rate(first.won, first.drawn, first.lost, pairs)

    def scores(self) -> list[float]:
        """Independent scores of the first of two players."""
        return independent_scores(self.series, self.games)

    def as_dict(self) -> dict[str, Any]:
        """What `ttt match --json` prints."""
        series = self.series
        found: dict[str, Any] = {
            "game": series.game,
            "options": series.options,
            "players": series.players,
            "games": series.total,
            "played": len(self.games),
            "seed": series.seed,
            "openings": series.openings,
            "sides": series.sides,
            "time": series.time,
            "stopped": self.stopped,
            "standings": [standing.as_dict() for standing in self.standings],
        }
        if len(series.players) == 2:
            rating = self.rating()
            found |= {
                "score": rating.score,
                "elo": _finite(rating.elo),
                "elo_low": _finite(rating.low),
                "elo_high": _finite(rating.high),
                "los": rating.los,
            }
        if self.sprt:
            found["sprt"] = {
                **self.sprt._asdict(),
                "llr": self.sprt.llr(self.scores()),
                "accepted": self.sprt.accepted(self.scores()),
            }
        return found

    def text(self) -> str:
        """The report of a match of two players, for people."""
        series = self.series
        lines = [f"{series.game}: {len(self.games)} of {series.total} games, {conditions(series)}"]
        for standing in self.standings:
            lines += [
                standing.player,
                f"  won {standing.won}, drawn {standing.drawn}, lost {standing.lost}"
                f" (as x {_slashed(standing.as_x)}, as o {_slashed(standing.as_o)}),"
                f" errors {_errors(standing)}",
                f"  per move: mean {standing.mean_ms:.2f} ms, p95 {standing.p95_ms:.2f} ms",
            ]
        lines += [
            f"first error of {standing.player}: {standing.first_error}"
            for standing in self.standings
            if standing.first_error
        ]
        rating = self.rating()
        lines.append(
            f"score {rating.score:.1%}, Elo {_signed(rating.elo)} (95%: {_signed(rating.low)} to "
            f"{_signed(rating.high)}), likelihood of superiority {rating.los:.1%}"
        )
        if self.sprt:
            accepted = self.sprt.accepted(self.scores())
            lines.append(
                f"SPRT of Elo {self.sprt.elo0:g} (H0) against {self.sprt.elo1:g} (H1): "
                f"log-likelihood ratio {self.sprt.llr(self.scores()):+.2f}, "
                + (f"{accepted} accepted" if accepted else "undecided")
            )
        return "\n".join(lines)


def conditions(series: Series) -> str:
    """The settings of a series, for the first line of a report."""
    sides = {"swap": "sides swapped", "fixed": "first player is x", "random": "random sides"}
    parts = [sides[series.sides]]
    if series.openings:
        parts.append(f"openings {series.openings}")
    if series.time is not None:
        parts.append(f"{series.time:g} s per move")
    parts.append(f"seed {series.seed}")
    return ", ".join(parts)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _signed(elo: float) -> str:
    return f"{elo:+.0f}" if math.isfinite(elo) else "+inf" if elo > 0 else "-inf"


def _slashed(counts: list[int]) -> str:
    return "/".join(map(str, counts))


def _errors(standing: Standing) -> str:
    kinds = [f"{count} {kind}" for kind, count in standing.errors.items() if count]
    return ", ".join(kinds) or "0"
