"""Matches: a series of games played, saved, counted and reported."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ttt.board import Board
from ttt.matches.game import ERRORS
from ttt.matches.progress import Progress
from ttt.matches.rating import Rating, Sprt, rate
from ttt.matches.record import Game, Recorder, score_of
from ttt.matches.series import Series, play_series, read_openings
from ttt.players.spec import Player, as_player, make_player


@dataclass
class Standing:
    """What one player has done in a series."""

    player: str
    won: int = 0
    drawn: int = 0
    lost: int = 0
    as_x: list[int] = field(default_factory=lambda: [0, 0, 0])
    """Won, drawn and lost as x."""
    as_o: list[int] = field(default_factory=lambda: [0, 0, 0])
    errors: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ERRORS, 0))
    """Games lost by an error, by its kind."""
    first_error: str = ""
    """What happened at the first of them."""
    ms: list[float] = field(default_factory=list, repr=False)

    @property
    def points(self) -> float:
        return self.won + self.drawn / 2

    @property
    def games(self) -> int:
        return self.won + self.drawn + self.lost

    @property
    def mean_ms(self) -> float:
        return sum(self.ms) / len(self.ms) if self.ms else 0.0

    @property
    def p95_ms(self) -> float:
        """The time within which 95% of its turns were made."""
        return sorted(self.ms)[math.ceil(0.95 * len(self.ms)) - 1] if self.ms else 0.0

    def add(self, game: Game, side: str) -> None:
        result = game["result"]
        place = 1 if result == "draw" else 0 if result == side else 2
        self.won += place == 0
        self.drawn += place == 1
        self.lost += place == 2
        (self.as_x if side == "x" else self.as_o)[place] += 1
        if place == 2 and game["by"] in ERRORS:
            self.errors[game["by"]] += 1
            self.first_error = self.first_error or f"game {game['game']}: {game['error']}"
        own = (game["opening"] + (side == "o")) % 2
        self.ms += game["ms"][own::2]

    def record(self) -> dict[str, Any]:
        """As JSON takes it."""
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
            "turns": len(self.ms),
            "mean_ms": round(self.mean_ms, 3),
            "p95_ms": round(self.p95_ms, 3),
        }


def standings(series: Series, games: Sequence[Game]) -> list[Standing]:
    """One standing a player, in the order of the players."""
    found = [Standing(player) for player in series.players]
    for game in games:
        for side in ("x", "o"):
            found[game[side] - 1].add(game, side)
    return found


def units(series: Series, games: Sequence[Game]) -> list[float]:
    """Scores of the first player that do not depend on one another: of whole pairs where pairs
    share an opening, else of games."""
    scores = {game["game"]: score_of(game, 1) for game in games}
    if series.sides != "swap":
        return [scores[number] for number in sorted(scores)]
    return [
        (scores[number] + scores[number + 1]) / 2
        for number in range(1, series.games, 2)
        if number in scores and number + 1 in scores
    ]


@dataclass
class Played:
    """A series as far as it has been played."""

    series: Series
    games: list[Game]
    """In the order of their numbers."""
    stopped: str = ""
    """Why it ended early: "interrupted", or the verdict of the test."""
    sprt: Sprt | None = None

    @property
    def standings(self) -> list[Standing]:
        return standings(self.series, self.games)

    def rating(self) -> Rating:
        """Of the first of two players."""
        first = self.standings[0]
        pairs = units(self.series, self.games) if self.series.sides == "swap" else ()
        return rate(first.won, first.drawn, first.lost, pairs)

    def record(self) -> dict[str, Any]:
        """What --json prints."""
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
            "standings": [standing.record() for standing in self.standings],
        }
        if len(series.players) == 2:
            rating = self.rating()
            found |= {
                "score": rating.score,
                "elo": _finite(rating.elo),
                "elo_low": _finite(rating.low),
                "elo_high": _finite(rating.high),
                "superiority": rating.superiority,
            }
        if self.sprt:
            found["sprt"] = {
                **self.sprt._asdict(),
                "ratio": self.sprt.ratio(units(series, self.games)),
                "verdict": self.sprt.verdict(units(series, self.games)),
            }
        return found

    def text(self) -> str:
        """The report of a match for people."""
        series = self.series
        lines = [f"{series.game}: {len(self.games)} of {series.total} games" + conditions(series)]
        wide = max(len(player) for player in series.players)
        for standing in self.standings:
            lines.append(
                f"{standing.player:<{wide}}  won {standing.won}, drawn {standing.drawn}, "
                f"lost {standing.lost}  (as x {_slashed(standing.as_x)}, "
                f"as o {_slashed(standing.as_o)})  errors {_errors(standing)}  "
                f"a turn: mean {standing.mean_ms:.2f} ms, p95 {standing.p95_ms:.2f} ms"
            )
        lines += [
            f"the first error of {standing.player}, {standing.first_error}"
            for standing in self.standings
            if standing.first_error
        ]
        rating = self.rating()
        lines.append(
            f"score {rating.score:.1%}, Elo {_signed(rating.elo)} (95%: {_signed(rating.low)} to "
            f"{_signed(rating.high)}), likelihood of superiority {rating.superiority:.1%}"
        )
        if self.sprt:
            ratio = self.sprt.ratio(units(series, self.games))
            verdict = self.sprt.verdict(units(series, self.games)) or "not decided"
            lines.append(
                f"SPRT of Elo {self.sprt.elo0:g} against {self.sprt.elo1:g}: "
                f"log-likelihood ratio {ratio:+.2f}, {verdict}"
            )
        return "\n".join(lines)


def conditions(series: Series) -> str:
    """How a series is played, for the head of a report."""
    sides = {"swap": "sides swapped", "keep": "first player x", "draw": "sides by lot"}
    parts = [sides[series.sides]]
    if series.openings:
        parts.append(f"openings {series.openings}")
    if series.time is not None:
        parts.append(f"{series.time:g} s a move")
    parts.append(f"seed {series.seed}")
    return ", " + ", ".join(parts)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _signed(elo: float) -> str:
    return f"{elo:+.0f}" if math.isfinite(elo) else "+inf" if elo > 0 else "-inf"


def _slashed(counts: list[int]) -> str:
    return "/".join(map(str, counts))


def _errors(standing: Standing) -> str:
    kinds = [f"{count} {kind}" for kind, count in standing.errors.items() if count]
    return ", ".join(kinds) or "0"


def run_series(
    series: Series,
    out: str | None = None,
    resume: bool = False,
    processes: int = 1,
    sprt: Sprt | None = None,
    progress: bool = False,
    on_game: Callable[[Game], None] | None = None,
    players: list[Player] | None = None,
) -> Played:
    """Plays what is missing of a series. Ctrl-C ends it with the games so far."""
    series.check(named=players is None)
    if resume and not out:
        raise ValueError("--resume goes with --out FILE: the games to go on with")
    if sprt and len(series.players) != 2:
        raise ValueError("a sequential test is of two players")
    if not 1 <= processes <= 1024:
        raise ValueError(f"processes={processes}: from 1 to 1024")
    recorder = Recorder(out, series.settings(), resume) if out else None
    done = {game["game"]: game for game in (recorder.done if recorder else ())}
    missing = [number for number in range(1, series.total + 1) if number not in done]
    bar = Progress(series, list(done.values())) if progress else None
    played = Played(series, [], sprt=sprt)
    games = play_series(series, missing, processes, players)
    try:
        while True:
            if sprt and (verdict := sprt.verdict(units(series, list(done.values())))):
                played.stopped = verdict
                break
            game = next(games, None)
            if game is None:
                break
            if recorder:
                recorder.add(game)
            done[game["game"]] = game
            if bar:
                bar.show(game)
            if on_game:
                on_game(game)
    except KeyboardInterrupt:
        played.stopped = "interrupted"
    finally:
        games.close()  # type: ignore[attr-defined]
        if recorder:
            recorder.close()
        if bar:
            bar.close()
    played.games = [done[number] for number in sorted(done)]
    return played


def play_match(
    game: str,
    first: str | Player | Callable[[Board], str],
    second: str | Player | Callable[[Board], str],
    games: int = 100,
    *,
    seed: int = 0,
    openings: str = "",
    sides: str = "swap",
    time: float | None = None,
    options: dict[str, Any] | None = None,
    **how: Any,
) -> Played:
    """A match of two players, given as texts, as objects with `choose` or as functions that take
    the board and return the move.

    `how` is what `run_series` takes: out, resume, processes, sprt, progress, on_game.
    """
    name, lines = read_openings(openings)
    players = [
        player if isinstance(player, str) else as_player(player) for player in (first, second)
    ]
    names = [player if isinstance(player, str) else repr(player) for player in players]
    series = Series(game, names, games, options or {}, seed, name, lines, sides, time)
    if not all(isinstance(player, str) for player in players):
        board = series.board()
        how["players"] = [
            make_player(player, board, time) if isinstance(player, str) else player
            for player in players
        ]
    return run_series(series, **how)
