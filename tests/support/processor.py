"""Bounds on processor time, so that a test of a limit fails instead of hanging."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raises AssertionError after so many seconds of this process's own processor time: a busy
    machine does not make it ring earlier. For the main thread."""

    def ring(*_: object) -> None:
        raise AssertionError(f"still running after {seconds:g} s of processor time")

    before = signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
