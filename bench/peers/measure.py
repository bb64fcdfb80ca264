"""Rows of the bench: contenders that take turns on one core, and what they showed.

A turn is some CPU time; its figure is that of the fastest run in it. A row keeps the figures of all
rounds, so that best, median and spread can be told.
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

Turn = Callable[[float], float]
"""CPU seconds of a turn -> its figure, in the unit of the row."""


@dataclass
class Row:
    """One comparison. A unit that ends in "/s" is the better the more, any other the less."""

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
        """How far the rounds lie apart, as a share of their median."""
        return (max(self.figures[who]) - min(self.figures[who])) / self.median(who)

    def ratios(self) -> dict[str, float]:
        """How many times better ours is than each peer, by the best figures."""
        if OURS not in self.figures:
            return {}
        ours = self.best(OURS)
        more = self.unit.endswith("/s")
        others = [who for who in self.figures if who != OURS]
        return {who: ours / self.best(who) if more else self.best(who) / ours for who in others}


class Bench:
    """The rows measured so far, and the time that is left for more."""

    def __init__(self, seconds: float, minutes: float) -> None:
        self.seconds = seconds
        self.end = monotonic() + 60 * minutes
        self.absent: dict[str, str] = {}
        self.rows: list[Row] = []
        self.left_out: list[str] = []
        self.tables: list[dict[str, Any]] = []
        """Tables that compare no contenders: {"title", "note", "head", "lines"}."""

    def peer(self, module: str, name: str) -> Any:
        """A peer's module, or None: it is named in the report then."""
        try:
            return import_module(module)
        except ImportError as error:
            self.absent[name] = str(error).splitlines()[0]
            return None

    def late(self, what: str) -> bool:
        """Whether there is no time left: `what` is left out then, and named."""
        if monotonic() < self.end:
            return False
        self.left_out.append(what)
        return True

    def measure(self, row: Row, turns: dict[str, Turn], rounds: int = ROUNDS) -> None:
        """Measures a row: the contenders take turns."""
        if self.late(f"{row.work} {row.game}"):
            return
        row.figures = {who: [] for who in turns}
        for _ in range(rounds):
            for who, turn in turns.items():
                row.figures[who].append(turn(self.seconds))
        self.keep(row)

    def measure_all(self, rows: list[tuple[Row, dict[str, Turn]]]) -> None:
        """Measures rows of short turns round by round, so that a disturbance hits a round of many
        rows and not all rounds of one."""
        if self.late(rows[0][0].work):
            return
        for row, turns in rows:
            row.figures = {who: [] for who in turns}
        for _ in range(ROUNDS):
            for row, turns in rows:
                for who, turn in turns.items():
                    row.figures[who].append(turn(self.seconds))
        for row, _ in rows:
            self.keep(row)

    def keep(self, row: Row) -> None:
        """Adds a row that has been measured, and tells of it."""
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
    """Keeps this process, and those it starts, on one core, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


@contextmanager
def all_cores() -> Iterator[None]:
    """Lets the threads made meanwhile run on any core."""
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
    """The CPU seconds of the fastest of the runs that fit into a turn; one at least."""
    found, end = float("inf"), process_time() + seconds
    while (start := process_time()) < end or found == float("inf"):
        run()
        found = min(found, process_time() - start)
    return found


def rate(run: Callable[[], object], units: float) -> Turn:
    """Units a second."""
    return lambda seconds: units / fastest(run, seconds)


def cost(run: Callable[[], object], scale: float = 1000.0) -> Turn:
    """The time of a run, in ms or whatever `scale` makes of a second."""
    return lambda seconds: scale * fastest(run, seconds)


def call_cost(run: Callable[[], object]) -> Turn:
    """Nanoseconds a call of a short function, the loop around it included."""
    number = 2_000

    def calls() -> None:
        for _ in range(number):
            run()

    return cost(calls, 1e9 / number)
