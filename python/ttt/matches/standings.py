"""Standings: the results of each player of a series, and the scores for ratings."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ttt.matches.game import ERRORS
from ttt.matches.record import SavedGame, score_of
from ttt.matches.series import Series


@dataclass
class Standing:
    """The results of one player."""

    player: str
    won: int = 0
    drawn: int = 0
    lost: int = 0
    as_x: list[int] = field(default_factory=lambda: [0, 0, 0])
    """Games won, drawn and lost as x."""
    as_o: list[int] = field(default_factory=lambda: [0, 0, 0])
    """The same as o."""
    errors: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ERRORS, 0))
    """Number of games lost by each kind of error."""
    first_error: str = ""
    """The game and the description of the first error."""
    ms: list[float] = field(default_factory=list, repr=False)
    """Milliseconds of all its moves."""

    @property
    def points(self) -> float:
        """1 for a win, a half for a draw."""
        return self.won + self.drawn / 2

    @property
    def games(self) -> int:
        return self.won + self.drawn + self.lost

    @property
    def mean_ms(self) -> float:
        """The mean time of its moves, in milliseconds."""
        return sum(self.ms) / len(self.ms) if self.ms else 0.0

    @property
    def p95_ms(self) -> float:
        """The 95th percentile of the times of its moves."""
        return sorted(self.ms)[math.ceil(0.95 * len(self.ms)) - 1] if self.ms else 0.0

    def add(self, game: SavedGame, side: str) -> None:
        """Counts a game in which the player was `side`."""
        place = 2 - int(2 * score_of(game, game["x"] if side == "x" else game["o"]))
        self.won += place == 0
        self.drawn += place == 1
        self.lost += place == 2
        (self.as_x if side == "x" else self.as_o)[place] += 1
        if place == 2 and game["termination"] in ERRORS:
            self.errors[game["termination"]] += 1
            self.first_error = self.first_error or f"game {game['game']}: {game['error']}"
        own = (game["opening"] + (side == "o")) % 2
        self.ms += game["ms"][own::2]

    def as_dict(self) -> dict[str, Any]:
        """The standing, ready for JSON."""
        return {
            "player": self.player,
            "won": self.won,
            "drawn": self.drawn,
            "lost": self.lost,
            "points": self.points,
            "as_x": dict(zip(("won", "drawn", "lost"), self.as_x, strict=True)),
            "as_o": dict(zip(("won", "drawn", "lost"), self.as_o, strict=True)),
            "errors": self.errors,
            "first_error": self.first_error,
            "moves": len(self.ms),
            "mean_ms": round(self.mean_ms, 3),
            "p95_ms": round(self.p95_ms, 3),
        }


def standings_of(series: Series, games: Sequence[SavedGame]) -> list[Standing]:
    """One standing for each player, in the order of the players."""
    found = [Standing(player) for player in series.players]
    for game in games:
        found[game["x"] - 1].add(game, "x")
        found[game["o"] - 1].add(game, "o")
    return found


def independent_scores(series: Series, games: Sequence[SavedGame]) -> list[float]:
    """Independent scores of the first player: mean scores of complete pairs if the two games of a
    pair share an opening, else scores of games."""
    scores = {game["game"]: score_of(game, 1) for game in games}
    if series.sides != "swap":
        return [scores[number] for number in sorted(scores)]
    return [
        (scores[number] + scores[number + 1]) / 2
        for number in range(1, series.games, 2)
        if number in scores and number + 1 in scores
    ]
