"""Limits of a search: depth, nodes, time, threads, and the checks they all pass."""

UNLIMITED = 2**62
DEEPEST = 255
"""No game lasts longer."""


def check_threads(threads: int) -> None:
    """Refuses a number of threads that makes no sense."""
    if not isinstance(threads, int) or isinstance(threads, bool) or not 1 <= threads <= 256:
        raise ValueError(f"threads={threads}: a whole number from 1 to 256")


def check_limits(depth: int | None, nodes: int | None, time: float | None) -> None:
    """Refuses limits that make no sense."""
    for name, value in (("depth", depth), ("nodes", nodes)):
        if value is not None and (not isinstance(value, int) or value < 1 or value >= UNLIMITED):
            raise ValueError(f"{name}={value}: a whole number from 1 up")
    if time is not None and not 0 < time < 1e9:
        raise ValueError(f"time={time}: seconds, more than 0")
