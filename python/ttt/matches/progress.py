"""The progress of a running series, shown on stderr."""

import sys
import time
from collections.abc import Sequence

from ttt.matches.record import SavedGame, score_of
from ttt.matches.series import Series

WIDTH = 30
"""Characters of the bar."""


class Progress:
    """A progress bar in a terminal; elsewhere a line after every tenth of the games."""

    def __init__(self, series: Series, done: Sequence[SavedGame]) -> None:
        self.total = series.total
        self.two_players = len(series.players) == 2
        self.played = len(done)
        self.results = [0, 0, 0]
        """Games that the first of two players won, drew and lost."""
        self.is_terminal = sys.stderr.isatty()
        self.last_time = -1.0
        self.last_printed = self.played
        for game in done:
            self.count(game)

    def count(self, game: SavedGame) -> None:
        self.results[2 - int(2 * score_of(game, 1))] += 1

    def show(self, game: SavedGame) -> None:
        """Counts a finished game and shows the progress if it is time to."""
        self.played += 1
        self.count(game)
        last = self.played == self.total
        results = "  +{} ={} -{}".format(*self.results) if self.two_players else ""
        if self.is_terminal:
            now = time.monotonic()
            if last or now - self.last_time >= 0.1:
                self.last_time = now
                filled = WIDTH * self.played // self.total
                bar = "#" * filled + "." * (WIDTH - filled)
                sys.stderr.write(f"\r[{bar}] {self.played}/{self.total}{results} ")
                sys.stderr.flush()
        elif last or (self.played - self.last_printed) * 10 >= self.total:
            self.last_printed = self.played
            print(f"{self.played}/{self.total} games{results}", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Ends the line of the bar."""
        if self.is_terminal and self.last_time >= 0:
            print(file=sys.stderr, flush=True)
