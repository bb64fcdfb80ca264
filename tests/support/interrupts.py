"""Acts while a search is running, however busy the machine is."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import ttt
from support.processor import at_most

PACKAGE = str(Path(ttt.__file__).parent)
SPENT = 0.01
"""Seconds of processor time that a search gets before the action."""

ctrl_c = partial(os.kill, os.getpid(), signal.SIGINT)


@contextmanager
def during_search(action: Callable[[], object], caller: str = PACKAGE) -> Iterator[None]:
    """Calls `action` from another thread as soon as this thread is inside a search: it has spent
    SPENT seconds of its own processor time in one call to compiled code from a file whose name
    begins with `caller`. Raises AssertionError if the search does not end soon afterwards."""
    searcher = threading.get_ident()
    clock = time.pthread_getcpuclockid(searcher)
    over = threading.Event()

    def watch() -> None:
        place, since = None, 0.0
        while not over.wait(0.002):
            frame = sys._current_frames()[searcher]
            code = frame.f_code
            inside = code.co_filename.startswith(caller) and code.co_name != "__init__"
            here = (id(frame), frame.f_lasti) if inside else None
            now = time.clock_gettime(clock)
            if here is None or here != place:
                place, since = here, now
            elif now - since >= SPENT:
                action()
                return

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        with at_most(10):
            yield
    finally:
        over.set()
        watcher.join()
