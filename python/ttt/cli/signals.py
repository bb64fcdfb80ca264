"""SIGTERM, SIGHUP and Ctrl-Break end a command as Ctrl-C does: what can be saved is saved."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType
from typing import Any

from ttt_core.errors import Terminated
from ttt_core.system import ending_signals


@contextmanager
def ended_by_signals(catching: bool = True) -> Iterator[list[int]]:
    """Raises Terminated, in the code that runs, on the first of the signals, and adds its number to
    the list. Later ones are ignored: they must not interrupt the saving. A signal that was ignored
    before (nohup) stays so.

    `catching` is off for `ttt play`, which saves every move: readline does not notice a handler in
    Python that is called just before it waits for a key, so the signals end the process."""
    numbers = ending_signals()
    if not catching or current_thread() is not main_thread():
        numbers = []
    caught = [number for number in numbers if signal.getsignal(number) == signal.SIG_DFL]

    received: list[int] = []

    def end(number: int, frame: FrameType | None) -> Any:
        for other in caught:
            signal.signal(other, signal.SIG_IGN)
        received.append(number)
        raise Terminated(number)

    for number in caught:
        signal.signal(number, end)
    try:
        yield received
    finally:
        for number in caught:
            signal.signal(number, signal.SIG_DFL)
