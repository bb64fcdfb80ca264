"""The progress of many jobs, shown on stderr."""

import sys
import time
from math import inf

WIDTH = 20
"""Characters of the bar."""
REDRAW = 0.1
"""Seconds between two drawings of the bar."""
QUIET = 10.0
"""Seconds between two lines, outside a terminal, while less than a tenth of the jobs finish."""


class Progress:
    """A bar with rate and time left, redrawn in a terminal; elsewhere a line now and then. A
    `total` of None is unknown; `done` jobs were finished before."""

    def __init__(self, total: int | None, done: int = 0, unit: str = "jobs") -> None:
        self.total = total
        self.done = self.before = self.last_done = done
        self.unit = unit
        self.is_terminal = sys.stderr.isatty()
        self.began = time.monotonic()
        self.last_time = self.began
        self.is_drawn = False

    def add(self, detail: str = "") -> None:
        """Counts a finished job and shows the progress if it is time to. `detail` is shown too."""
        self.done += 1
        now = time.monotonic()
        waited = now - self.last_time
        last = self.done == self.total
        if self.is_terminal:
            if not last and self.is_drawn and waited < REDRAW:
                return
            sys.stderr.write(f"\r{self.bar()}{self.text(now, detail)}\x1b[K")
            sys.stderr.flush()
        elif last or waited >= QUIET or (self.done - self.last_done) * 10 >= (self.total or inf):
            print(self.text(now, detail), file=sys.stderr, flush=True)
        else:
            return
        self.last_time, self.last_done, self.is_drawn = now, self.done, True

    def bar(self) -> str:
        if not self.total:
            return ""
        filled = WIDTH * self.done // self.total
        return f"[{'#' * filled}{'.' * (WIDTH - filled)}] "

    def text(self, now: float, detail: str = "") -> str:
        """E.g. "12/40 games  +7 =2 -3, 3.1/s, 0:09 left"; at the end, the time it took."""
        seconds = max(now - self.began, 1e-9)
        rate = (self.done - self.before) / seconds
        count = f"{self.done}/{self.total}" if self.total else f"{self.done}"
        left = ((self.total or 0) - self.done) / rate
        when = f"{duration(left)} left" if left > 0 else duration(seconds)
        return f"{count} {self.unit}{'  ' * bool(detail)}{detail}, {rate_text(rate)}, {when}"

    def close(self) -> None:
        """Ends the line of the bar."""
        if self.is_terminal and self.is_drawn:
            print(file=sys.stderr, flush=True)


def rate_text(rate: float) -> str:
    """A rate per second, minute or hour."""
    for unit, seconds in (("s", 1), ("min", 60), ("h", 3600)):
        if rate * seconds >= 1 or unit == "h":
            break
    return f"{rate * seconds:,.{1 if rate * seconds < 100 else 0}f}/{unit}"


def duration(seconds: float) -> str:
    """Seconds as "m:ss" or "h:mm:ss"."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def say(text: str) -> None:
    """Prints a message; in a terminal it takes the place of the bar, which is redrawn below."""
    clear = "\r\x1b[K" if sys.stderr.isatty() else ""
    print(f"{clear}{text}", file=sys.stderr, flush=True)
