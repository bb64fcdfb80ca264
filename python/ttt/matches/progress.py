"""How far a series of games is, shown while it runs."""

import sys
import time
from collections.abc import Sequence

from ttt.matches.record import Game, score_of
from ttt.matches.series import Series


class Progress:
    """How far a series is, on stderr: a bar in a terminal, else a line now and then."""

    def __init__(self, series: Series, done: Sequence[Game]) -> None:
        self.series = series
        self.total = series.total
        self.played = len(done)
        self.score = [0, 0, 0]
        self.live = sys.stderr.isatty()
        self.shown = -1.0
        self.told = self.played
        for game in done:
            self.count(game)

    def count(self, game: Game) -> None:
        if len(self.series.players) == 2:
            self.score[2 - int(2 * score_of(game, 1))] += 1

    def show(self, game: Game) -> None:
        self.played += 1
        self.count(game)
        last = self.played == self.total
        running = ""
        if len(self.series.players) == 2:
            running = "  +{} ={} -{}".format(*self.score)
        if self.live:
            now = time.monotonic()
            if last or now - self.shown >= 0.1:
                self.shown = now
                filled = 30 * self.played // self.total
                bar = "#" * filled + "." * (30 - filled)
                sys.stderr.write(f"\r[{bar}] {self.played}/{self.total}{running} ")
                sys.stderr.flush()
        elif last or (self.played - self.told) * 10 >= self.total:
            self.told = self.played
            print(f"{self.played}/{self.total} games{running}", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self.live and self.shown >= 0:
            print(file=sys.stderr, flush=True)
