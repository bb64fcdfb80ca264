"""The JSON API without a server: one page, one search at a time, everything on one thread.

The site's worker (site/page/worker.js) calls it in the browser. It answers with the same functions
as the server, and takes messages in one of two ways while a search runs:

- `interrupt`, the handler of SIGINT, where the page shares memory with the worker: the search goes
  on while a request is answered, and ends if the page asks for that.
- Slices, where it does not: the search is a sequence of calls of SLICE seconds on a kept table;
  between two of them the worker reads its messages.
"""

import json
import signal
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

from ttt.limits import Limit
from ttt.players.builtin import EnginePlayer
from ttt.review import review_steps
from ttt.web.engines import Engines
from ttt.web.limits import DEFAULT_LIMITS, WebLimits
from ttt.web.records import Record, review_record
from ttt.web.service import ANSWERS, TASKS, AnalysisTask, EngineTask, MoveTask, ReviewTask, export

LIMITS = DEFAULT_LIMITS._replace(searches=1, hash=32)
"""A browser gives a page less memory than a server has."""
SLICE = 0.05
"""Seconds of one call of a search that runs in slices."""
PERIOD = 0.2
"""Seconds between two messages about a search: more often than that the eye sees flicker."""

Post = Callable[[int, str, str], None]
"""Sends a message to the page: number of the request, kind, JSON. Kinds are "info", "result" and
"error"; "missing" asks for a module that has not been loaded, then for the request again."""
Fetch = Callable[[], str | None]
"""The next request that the page has left in shared memory, as JSON {id, name, request}; with the
name "stop" it asks to end the search of that number."""


def missing_module(error: ImportError) -> str:
    """The module that an import has not found: `import a.b`, or `from a import b`."""
    inside = getattr(error, "name_from", None)
    return f"{error.name}.{inside}" if inside else error.name or ""


class Stopped(KeyboardInterrupt):
    """The page does not want the search any more."""


class Local:
    """Answers the requests of a page. `fetch` is None where the page shares no memory."""

    def __init__(self, post: Post, fetch: Fetch | None = None, limits: WebLimits = LIMITS) -> None:
        self.post = post
        self.fetch = fetch
        self.limits = limits
        self.engines = Engines(limits.hash, limits.searches)
        self.running: int | None = None
        """The number of the search under way."""
        self.steps: Iterator[Record | None] | None = None
        self.told = 0.0
        if fetch is not None:
            signal.signal(signal.SIGINT, self.interrupt)

    def handle(self, number: int, name: str, text: str) -> bool:
        """Takes a request: a name of ANSWERS or TASKS or "export", and its fields as JSON. True: it
        is a search in slices, and `step` is to be called until it returns False."""
        try:
            request = json.loads(text)
            if name == "export":
                self.send(number, "result", {"text": export(request, self.limits)[0]})
            elif name in ANSWERS:
                self.send(number, "result", ANSWERS[name](request, self.limits))
            elif name in TASKS:
                return self.search(number, TASKS[name](request, self.limits))
            else:
                raise ValueError(f"unknown request {name!r}")
        except ImportError as error:
            self.post(number, "missing", missing_module(error))
        except (ValueError, TypeError, MemoryError) as error:
            self.send(number, "error", {"detail": str(error) or "invalid request"})
        return False

    def send(self, number: int, kind: str, record: Record) -> None:
        self.post(number, kind, json.dumps(record, separators=(",", ":")))

    # --- searches --------------------------------------------------------------------------------

    def search(self, number: int, task: MoveTask | EngineTask) -> bool:
        """Runs a task to its end, or prepares its slices."""
        self.told = 0.0
        if self.fetch is None:
            self.running = number
            self.steps = self.slices(task)
            return True
        try:
            self.running = number
            self.interrupt()  # what has come meanwhile
            found = self.with_engine(task, lambda: task.run(self.inform))
            self.running = None
        except KeyboardInterrupt:
            found = None
        finally:
            self.running = None
        if found is not None:
            self.send(number, "result", found)
        return False

    def with_engine(self, task: MoveTask | EngineTask, work: Callable[[], Any]) -> Any:
        """Works on a task with an engine, if it needs one."""
        if not isinstance(task, EngineTask):
            return work()
        task.engine = self.engines.take(task.board)
        try:
            return work()
        finally:
            self.engines.give_back(task.engine)

    def inform(self, latest: Callable[[], Record]) -> None:
        """Sends what is known so far, if the last such message is old enough."""
        now = perf_counter()
        if self.running is not None and now - self.told >= PERIOD:
            self.told = now
            self.send(self.running, "info", latest())

    # --- with shared memory ----------------------------------------------------------------------

    def interrupt(self, *_: object) -> None:
        """Answers what the page has asked meanwhile. Raises Stopped if it wants no result. What
        comes while no search is under way waits: a module may be half imported then."""
        assert self.fetch is not None
        if self.running is None:
            return
        stop = False
        while (text := self.fetch()) is not None:
            asked = json.loads(text)
            if asked["name"] == "stop":
                stop = stop or asked["id"] == self.running
            else:
                self.handle(asked["id"], asked["name"], asked["request"])
        if stop:
            self.running = None
            raise Stopped

    # --- without ---------------------------------------------------------------------------------

    def step(self) -> bool:
        """One call of a search in slices. False: it has ended."""
        number, steps = self.running, self.steps
        if number is None or steps is None:
            return False
        try:
            found = next(steps)
        except StopIteration:
            found = {}
        except (ValueError, TypeError, MemoryError) as error:
            self.stop(number)
            self.send(number, "error", {"detail": str(error)})
            return False
        if found is None:
            return True
        self.stop(number)
        self.send(number, "result", found)
        return False

    def stop(self, number: int) -> None:
        """Ends the search of that number between two slices."""
        if number == self.running:
            steps, self.steps, self.running = self.steps, None, None
            if steps is not None:
                steps.close()  # type: ignore[attr-defined]

    def slices(self, task: MoveTask | EngineTask) -> Iterator[Record | None]:
        """The calls of a task; the last one yields its result."""
        if isinstance(task, EngineTask):
            task.engine = self.engines.take(task.board)
        try:
            if isinstance(task, AnalysisTask):
                yield from self.analyse(task)
            elif isinstance(task, ReviewTask):
                yield from self.review(task)
            elif isinstance(task, MoveTask) and isinstance(task.player, EnginePlayer):
                yield from self.move(task, task.player)
            else:
                yield task.run(self.inform)
        finally:
            if isinstance(task, EngineTask) and task.engine is not None:
                self.engines.give_back(task.engine)

    def analyse(self, task: AnalysisTask) -> Iterator[Record | None]:
        began, spent, whole = perf_counter(), 0, task.limit
        while True:
            left = (whole.time or 0.0) - (perf_counter() - began)
            task.limit = Limit(
                depth=whole.depth, nodes=(whole.nodes or 0) - spent, time=min(SLICE, left)
            )
            found = task.run(lambda latest: None)
            spent += found["nodes"]
            seconds = perf_counter() - began
            found |= {"nodes": spent, "seconds": round(seconds, 3)}
            found["nodes_per_second"] = round(spent / seconds)
            deep = whole.depth is not None and found["depth"] >= whole.depth
            rest = (whole.time or 0.0) - seconds
            if found["proven"] or deep or rest <= 0 or spent >= (whole.nodes or 0):
                yield found
                return
            self.inform(lambda found=found: found)  # type: ignore[misc]
            yield None

    def review(self, task: ReviewTask) -> Iterator[Record | None]:
        assert task.engine is not None
        began, moves = perf_counter(), []
        for moves in review_steps(task.board, task.engine, task.each):
            now = review_record(task.board, moves, perf_counter() - began)
            if perf_counter() - began > task.seconds:
                break
            self.inform(lambda now=now: now)  # type: ignore[misc]
            yield None
        yield review_record(task.board, moves, perf_counter() - began)

    def move(self, task: MoveTask, player: EnginePlayer) -> Iterator[Record | None]:
        began, spent, whole, clear = perf_counter(), 0, player.limit, player.new_game
        while True:
            left = None if whole.nodes is None else whole.nodes - spent
            rest = None if whole.time is None else whole.time - (perf_counter() - began)
            player.limit = Limit(
                depth=whole.depth, nodes=left, time=SLICE if rest is None else min(SLICE, rest)
            )
            board = task.board.copy()
            found = task.run(self.inform)
            result = player.result
            assert result is not None
            spent += result.nodes
            late = whole.time is not None and perf_counter() - began >= whole.time
            full = whole.nodes is not None and spent >= whole.nodes
            deep = whole.depth is not None and result.depth >= whole.depth
            if result.proven or late or full or deep:
                player.new_game = clear  # type: ignore[method-assign]
                yield {**found, "seconds": round(perf_counter() - began, 3)}
                return
            task.board = board
            player.new_game = lambda seed: None  # type: ignore[method-assign]
            yield None
