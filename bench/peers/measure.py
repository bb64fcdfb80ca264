"""Rows of the bench: contenders that alternate on one core, and their figures.

A sample runs for some CPU time; its figure is that of the fastest run. A row keeps the samples of
all rounds, so that the report can give best, median and spread.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib import import_module
from statistics import median
from time import monotonic, process_time
from typing import Any

OURS = "ttt"
ROUNDS = 5

Timing = Callable[[float], float]
"""Takes one sample of this many CPU seconds; returns its figure in the unit of the row."""


@dataclass
class Row:
    """One comparison. More is better for units that end in "/s", less for all others."""

    work: str
    game: str
    unit: str
    counted: str
    figures: dict[str, list[float]]
    note: str = ""

    def best(self, who: str) -> float:
        return (max if self.unit.endswith("/s") else min)(self.figures[who])

    def median(self, who: str) -> float:
        return median(self.figures[who])

    def spread(self, who: str) -> float:
        """The widest distance between two rounds, as a share of their median."""
        return (max(self.figures[who]) - min(self.figures[who])) / self.median(who)

    def ratios(self) -> dict[str, float]:
        """How many times better ttt is than each peer, by the best figures."""
        if OURS not in self.figures:
            return {}
        ours = self.best(OURS)
        more = self.unit.endswith("/s")
        others = [who for who in self.figures if who != OURS]
        return {who: ours / self.best(who) if more else self.best(who) / ours for who in others}


class Bench:
    """The rows measured so far, and the time left for more."""

    def __init__(self, seconds: float, minutes: float) -> None:
        self.seconds = seconds
        self.end = monotonic() + 60 * minutes
        self.absent: dict[str, str] = {}
        self.rows: list[Row] = []
        self.left_out: list[str] = []
        self.tables: list[dict[str, Any]] = []
        """Tables without contenders: {"title", "note", "head", "lines"}."""

    def peer(self, module: str, name: str) -> Any:
        """The module of a peer; None if it is not installed, which the report then says."""
        try:
            return import_module(module)
        except ImportError as error:
            self.absent[name] = str(error).splitlines()[0]
            return None

    def late(self, what: str) -> bool:
        """Whether the time is up; if so, the report lists `what` as left out."""
        if monotonic() < self.end:
            return False
        self.left_out.append(what)
        return True

    def measure(self, row: Row, timings: dict[str, Timing], rounds: int = ROUNDS) -> None:
        """Measures a row; in each round every contender takes one sample."""
        if self.late(f"{row.work} {row.game}"):
            return
        row.figures = {who: [] for who in timings}
        for _ in range(rounds):
            for who, timing in timings.items():
                row.figures[who].append(timing(self.seconds))
        self.keep(row)

    def measure_all(self, rows: list[tuple[Row, dict[str, Timing]]]) -> None:
        """Measures many short rows round by round, so that a disturbance hits one round of many
        rows instead of all rounds of one."""
        if self.late(rows[0][0].work):
            return
        for row, timings in rows:
            row.figures = {who: [] for who in timings}
        for _ in range(ROUNDS):
            for row, timings in rows:
                for who, timing in timings.items():
                    row.figures[who].append(timing(self.seconds))
        for row, _ in rows:
            self.keep(row)

    def keep(self, row: Row) -> None:
        """Adds a measured row and prints it."""
        self.rows.append(row)
        cells = ", ".join(f"{who} {row.best(who):,.6g}" for who in row.figures)
        ratios = " ".join(f"{ratio:.2f}" for ratio in row.ratios().values())
        print(f"{row.work}, {row.game}: {cells} {row.unit}; {ratios}", flush=True)

    def as_dict(self) -> dict[str, Any]:
        return {
            "rows": [asdict(row) for row in self.rows],
            "tables": self.tables,
            "absent": self.absent,
            "left out": self.left_out,
        }


def pin() -> None:
    """Pins this process and its children to one core, where the system allows it."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


@contextmanager
def all_cores() -> Iterator[None]:
    """Lets threads that start inside the block run on any core."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    pinned = os.sched_getaffinity(0)
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    try:
        yield
    finally:
        os.sched_setaffinity(0, pinned)


def fastest(run: Callable[[], object], seconds: float) -> float:
    """The CPU seconds of the fastest run in a sample; at least one run."""
    found, end = float("inf"), process_time() + seconds
    while (start := process_time()) < end or found == float("inf"):
        run()
        found = min(found, process_time() - start)
    return found


def rate(run: Callable[[], object], units: float) -> Timing:
    """Units per second."""
    return lambda seconds: units / fastest(run, seconds)


def cost(run: Callable[[], object], scale: float = 1000.0) -> Timing:
    """The time of a run in ms, or in seconds times `scale`."""
    return lambda seconds: scale * fastest(run, seconds)


def call_cost(run: Callable[[], object]) -> Timing:
    """Nanoseconds per call of a short function, including the loop around it."""
    number = 2_000

    def calls() -> None:
        for _ in range(number):
            run()

    return cost(calls, 1e9 / number)
