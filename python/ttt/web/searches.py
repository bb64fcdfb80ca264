"""Searches in threads: bounded in number, and ended when nobody waits for them.

The compiled core releases the GIL while it searches, so that the event loop stays responsive.
All methods are called from the event loop's thread unless they say otherwise.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import Any, Protocol

from ttt.board import Board
from ttt.web.engines import Engines
from ttt.web.limits import WebLimits
from ttt.web.records import Record

POLL = 0.02
"""Seconds between two attempts: to get a place, or to stop a search that is just starting."""

Emit = Callable[[Callable[[], Record]], None]
"""Publishes what is known so far; the record is made only if it is sent."""


class Task(Protocol):
    """What runs in a thread. `run` returns the result; `stop`, called from another thread and
    perhaps more than once, makes it return soon."""

    kind: str
    label: str
    board: Board
    needs_engine: bool
    """Whether `engine` must be set before `run`."""

    def run(self, emit: Emit) -> Record: ...

    def stop(self) -> None: ...


class Busy(Exception):
    """All places are taken."""


class Search:
    """A task in a thread."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.began = perf_counter()
        self.loop = asyncio.get_running_loop()
        self.latest: Callable[[], Record] | None = None
        self.changed = asyncio.Event()
        self.cancelled = False
        self.done: asyncio.Future[Record | None]

    def emit(self, latest: Callable[[], Record]) -> None:
        """Called in the thread of the search."""
        self.latest = latest
        self.loop.call_soon_threadsafe(self.changed.set)

    def record(self) -> Record:
        """For people: what is running, and for how long."""
        return {
            "kind": self.task.kind,
            "game": self.task.board.game,
            "player": self.task.label,
            "seconds": round(perf_counter() - self.began, 1),
        }


class Searches:
    """All searches of the server."""

    def __init__(self, limits: WebLimits) -> None:
        self.limits = limits
        self.running: set[Search] = set()
        self.started = 0
        self.closing = False
        self.executor = ThreadPoolExecutor(limits.searches, "search")
        self.engines = Engines(limits.hash, limits.searches)
        self.chores: set[asyncio.Task[None]] = set()

    async def start(self, task: Task) -> Search:
        """Starts a task as soon as there is a place; raises Busy if that takes too long."""
        late = perf_counter() + self.limits.wait
        while self.closing or len(self.running) >= self.limits.searches:
            if self.closing or perf_counter() > late:
                raise Busy
            await asyncio.sleep(POLL)
        search = Search(task)
        self.running.add(search)
        self.started += 1
        search.done = search.loop.run_in_executor(self.executor, self._run, search)
        search.done.add_done_callback(lambda _: self.running.discard(search))
        return search

    def cancel(self, search: Search) -> None:
        """Ends a search whose result nobody wants; it need not be running any more."""
        if search.cancelled or search.done.done():
            return
        search.cancelled = True
        chore = search.loop.create_task(self._stop(search))
        self.chores.add(chore)
        chore.add_done_callback(self.chores.discard)

    def cancel_all(self) -> None:
        """Ends all searches and starts no others."""
        self.closing = True
        for search in list(self.running):
            self.cancel(search)

    async def _stop(self, search: Search) -> None:
        """Stops a task until it has ended: one that is just starting may miss a single stop."""
        while not search.done.done():
            search.task.stop()
            await asyncio.wait({search.done}, timeout=POLL)
        if not search.done.cancelled():
            search.done.exception()  # nobody wants to know

    def _run(self, search: Search) -> Record | None:
        """The body of a search's thread."""
        if search.cancelled:
            return None
        task: Any = search.task
        if not task.needs_engine:
            return search.task.run(search.emit)
        engine = task.engine = self.engines.take(task.board)
        try:
            return search.task.run(search.emit)
        finally:
            self.engines.give_back(engine)

    def close(self) -> None:
        """Frees the engines; called after `cancel_all`."""
        self.closing = self.engines.closing = True
        self.executor.shutdown(wait=True)
        self.engines.close()
