"""Limits of a search or a solver, and the budget that counts the nodes and time spent."""

from collections.abc import Iterable
from time import perf_counter
from typing import Any, NamedTuple

from ttt_core.errors import shorten
from ttt_core.runtime.concurrency import check_single

UNLIMITED = 2**62
"""A number of nodes that no search reaches: no limit."""
DEEPEST = 255
"""Plies: no game lasts longer."""
SHORTEST, LONGEST = 1e-9, 1e9
"""Seconds."""
MOST_THREADS = 256
MOST_PROCESSES = 1024
DEPTH_RULES = ("adaptive", "filling")
"""Rules for a depth that depends on the position: see `ttt.search.minimax.depth_by_rule`."""


def check_whole(name: str, value: object, most: int | None = None) -> None:
    """Raises unless a value is a whole number from 1 to `most`; None: no upper limit."""
    valid = f"a whole number from 1 {'up' if most is None else f'to {most}'}"
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name}={shorten(value)}: expected {valid}")
    if value < 1 or (most is not None and value > most):
        raise ValueError(f"{name}={shorten(value)}: expected {valid}")


def check_seconds(name: str, value: object) -> None:
    """Raises unless a value is a valid number of seconds."""
    valid = f"expected seconds, more than 0 and at most {LONGEST:,.0f}"
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError(f"{name}={shorten(value)}: {valid}")
    if not 0 < value <= LONGEST:
        raise ValueError(f"{name}={shorten(value)}: {valid}")


def check_threads(threads: int) -> None:
    """Raises unless a number of threads is valid."""
    check_whole("threads", threads, MOST_THREADS)
    check_single(threads)


class _Fields(NamedTuple):
    depth: int | None
    nodes: int | None
    time: float | None
    soft_time: float | None


class Limit(_Fields):
    """When a search stops: after `depth` plies, `nodes` positions or `time` seconds.

    The first limit reached ends the search; None means no such limit. With `soft_time` an engine
    spends about so many seconds, for games with a clock: fewer where the best move stays the same
    from depth to depth, more, up to `time`, where it changes.

    >>> Limit(nodes=100_000, time=0.5)
    Limit(depth=None, nodes=100000, time=0.5, soft_time=None)
    """

    __slots__ = ()

    def __new__(
        cls,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        time: float | None = None,
        soft_time: float | None = None,
    ) -> "Limit":
        if depth is not None:
            check_whole("depth", depth, DEEPEST)
        if nodes is not None:
            check_whole("nodes", nodes)
            nodes = None if nodes >= UNLIMITED else nodes
        for name, seconds in (("time", time), ("soft_time", soft_time)):
            if seconds is not None:
                check_seconds(name, seconds)
        return super().__new__(cls, depth, nodes, time, soft_time)

    @classmethod
    def _make(cls, values: Iterable[Any]) -> "Limit":  # type: ignore[override]
        """Also called by `_replace`: checks the values."""
        return cls(**dict(zip(cls._fields, values, strict=True)))

    def __getnewargs_ex__(self) -> tuple[tuple[()], dict[str, Any]]:  # for pickle and copy
        return (), self._asdict()

    def __bool__(self) -> bool:
        """Whether anything is limited."""
        return self != (None,) * len(self)

    def share(self, parts: int) -> "Limit":
        """One of `parts` equal shares of the nodes and the time."""
        return Limit(
            depth=self.depth,
            nodes=None if self.nodes is None else self.nodes // parts + 1,
            time=None if self.time is None else max(self.time / parts, SHORTEST),
        )

    def without_soft_time(self) -> "Limit":
        """For what ends at a limit alone, such as a solver: `soft_time` becomes the limit."""
        if self.soft_time is None:
            return self
        return self._replace(time=min(self.time or LONGEST, self.soft_time), soft_time=None)


NO_LIMIT = Limit()


def as_limit(
    limit: Limit | None,
    depth: int | None = None,
    nodes: int | None = None,
    time: float | None = None,
) -> Limit:
    """The limit of a call that takes a Limit or the keywords depth, nodes and time."""
    if limit is None:
        if depth is None and nodes is None and time is None:
            return NO_LIMIT
        return Limit(depth=depth, nodes=nodes, time=time)
    if not isinstance(limit, Limit):
        raise TypeError(
            f"limit={shorten(limit)}: expected a ttt.Limit, or the keywords depth, nodes and time"
        )
    if (depth, nodes, time) != (None, None, None):
        raise TypeError("give either a limit or the keywords depth, nodes and time, not both")
    return limit


def parse_depth(text: str, rules: bool = False) -> int | str:
    """The depth given as text: a number of plies or, with `rules`, the name of a depth rule."""
    if rules and text in DEPTH_RULES:
        return text
    if not (text.isascii() and text.isdigit() and len(text) < 9 and 0 < int(text) <= DEEPEST):
        named = f", {' or '.join(DEPTH_RULES)}" if rules else ""
        raise ValueError(f"plies from 1 to {DEEPEST}{named}")
    return int(text)


class Budget:
    """The nodes and seconds that a call may spend, and has spent since it began."""

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self.nodes = 0
        """Nodes spent."""
        self.began = perf_counter()

    def spend(self, nodes: int) -> None:
        """Counts nodes as spent."""
        self.nodes += nodes

    @property
    def seconds(self) -> float:
        """Seconds spent."""
        return perf_counter() - self.began

    @property
    def nodes_left(self) -> int:
        """UNLIMITED if there is no limit."""
        return UNLIMITED if self.limit.nodes is None else max(self.limit.nodes - self.nodes, 0)

    @property
    def seconds_left(self) -> float:
        """More than 0; 0 if there is no limit, as the core expects."""
        return 0.0 if self.limit.time is None else max(self.limit.time - self.seconds, 1e-6)

    @property
    def exhausted(self) -> bool:
        """Whether a limit is reached."""
        late = self.limit.time is not None and self.seconds >= self.limit.time
        return late or self.nodes_left == 0

    def left(self, nodes: int = UNLIMITED) -> Limit:
        """A limit for the next call: what is left, but at most `nodes` nodes."""
        most = min(nodes, max(self.nodes_left, 1))
        soft = self.limit.soft_time
        return Limit(
            depth=self.limit.depth,
            nodes=most,
            time=self.seconds_left or None,
            soft_time=None if soft is None else max(soft - self.seconds, SHORTEST),
        )


class SoftLimit:
    """Decides after each depth of a search whether to end it, after `seconds` on average."""

    SHARES = (2.0, 1.4, 1.0, 0.8, 0.65, 0.5)
    """Of the seconds, by the number of depths since the best move changed."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._began = perf_counter()
        self._move: object = None
        self._same = 0

    def reached(self, move: object) -> bool:
        """Whether to end the search; `move` is the best one after the depth."""
        self._same = self._same + 1 if move == self._move else 0
        self._move = move
        share = self.SHARES[min(self._same, len(self.SHARES) - 1)]
        return perf_counter() - self._began >= share * self._seconds


def reject_unknown(what: str, given: dict[str, Any], valid: tuple[str, ...]) -> None:
    """Raises TypeError for a keyword that is not among the valid ones."""
    for name in given:
        if name not in valid:
            raise TypeError(
                f"{what}: unknown setting {shorten(name)}; choose from {', '.join(valid)}"
            )
