"""Jobs on a Dask cluster, the extra [cluster].

A Dask worker does a job in a worker process of its own (`ttt.jobs.worker`), as this machine would:
a job that crashes does not take the Dask worker with it, and long computations do not keep it from
answering its scheduler. The jobs of a Dask worker that dies run again on another one. When the
scheduler is lost, the master connects again and submits what is not finished.
"""

import asyncio
import errno
import json
import queue
import re
import secrets
import threading
import time
from collections import Counter, deque
from collections.abc import Generator, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ttt.jobs.local import TRIES, Closed, Worker, error_of
from ttt.jobs.progress import say
from ttt.version import __version__
from ttt_core.errors import shorten

GIVE_UP = 300.0
"""Seconds without scheduler or workers after which a run ends."""
CONNECT = 10.0
"""Seconds for one attempt to connect."""
AHEAD = 8
"""Jobs submitted in addition to two for each thread of the cluster."""
IDLE = 60.0
"""Seconds after which a Dask worker ends a process that another session has left idle."""

# --- inside a Dask worker ------------------------------------------------------------------------


class Processes:
    """The worker processes of a Dask worker, one for each thread. Each belongs to one session."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.idle: list[tuple[str, Worker, float]] = []
        """Session, process, and when it became idle."""
        self.busy: list[tuple[str, Worker]] = []
        self.stopped: set[str] = set()

    def run_job(self, session: str, task: str, settings: dict[str, Any], job: Any) -> Any:
        """The result of a job. Raises Closed if the session is stopped."""
        worker = self.take(session) or Worker(task, settings)
        with self.lock:
            self.busy.append((session, worker))
        try:
            if session in self.stopped:
                worker.kill()
                raise Closed
            return worker.run(job)
        finally:
            with self.lock:
                self.busy.remove((session, worker))
                if not worker.closed:
                    self.idle.append((session, worker, time.monotonic()))

    def take(self, session: str) -> Worker | None:
        """An idle process of a session, if any; ends those that other sessions have left."""
        now = time.monotonic()
        with self.lock:
            mine = [entry for entry in self.idle if entry[0] == session][:1]
            old = [entry for entry in self.idle if entry[0] != session and now - entry[2] > IDLE]
            for entry in mine + old:
                self.idle.remove(entry)
        for _, worker, _ in old:
            worker.kill()
        return mine[0][1] if mine else None

    def stop(self, session: str) -> None:
        """Ends the processes of a session; it gets no new ones."""
        with self.lock:
            self.stopped.add(session)
            workers = [worker for name, worker, _ in self.idle if name == session]
            workers += [worker for name, worker in self.busy if name == session]
            self.idle = [entry for entry in self.idle if entry[0] != session]
        for worker in workers:
            worker.kill()


PROCESSES = Processes()


RUN_JOB = "__import__('ttt.jobs.cluster', fromlist=['run_job']).run_job(message)"
"""An expression, not a function: Dask must not need ttt to read it, or its processes die if it is
not installed there."""


def run_job(message: str) -> dict[str, Any]:
    """What a Dask worker does: {"result": value} or {"error": [kind, message]}."""
    version, session, task, settings, job = json.loads(message)
    if version != __version__:
        text = f"a Dask worker has version {__version__} of ttt, this is {version}"
        return {"error": ["ValueError", text]}
    try:
        return {"result": PROCESSES.run_job(session, task, settings, job)}
    except ChildProcessError as error:
        return {"error": ["ChildProcessError", error.strerror]}
    except (ValueError, RuntimeError) as error:
        return {"error": [type(error).__name__, str(error)]}
    except Exception as error:  # no process could be started, or the session was stopped
        return {"error": ["RuntimeError", f"Dask worker: {type(error).__name__}: {error}"]}


def stop_session(session: str) -> None:
    PROCESSES.stop(session)


# --- the master ----------------------------------------------------------------------------------


class Lost(Exception):
    """The connection to the scheduler was lost."""


class Run:
    """The jobs of a run and which of them are left."""

    def __init__(self, task: str, settings: dict[str, Any], jobs: list[Any], address: str) -> None:
        if find_spec("distributed") is None:
            raise ValueError('Dask is not installed: pip install "ttt-engine[cluster]"')
        self.dask: Any = import_module("distributed")
        if not re.fullmatch(r"(\w+://)?[^/\s]+:[0-9]{1,5}", address):
            raise ValueError(f"cluster={shorten(address)}: expected e.g. tcp://HOST:8786")
        self.session = ""
        """The name of the present connection."""
        self.task, self.settings, self.jobs = task, settings, jobs
        self.address = address
        self.left = set(range(len(jobs)))
        self.deaths: Counter[int] = Counter()
        self.submitted = 0

    def connect(self, seconds: float) -> Any:
        """A client; tries again for so many seconds."""
        self.session = secrets.token_hex(8)
        deadline = time.monotonic() + seconds
        while True:
            try:
                return self.dask.Client(self.address, timeout=CONNECT, set_as_default=False)
            except (OSError, asyncio.TimeoutError):
                if time.monotonic() >= deadline:
                    raise ConnectionError(
                        errno.ECONNREFUSED,
                        f"no Dask scheduler answers at {self.address}; start one with"
                        " `dask scheduler` and give its address, e.g. tcp://host:8786",
                    ) from None
                time.sleep(1)

    def results(self, client: Any) -> Generator[tuple[int, Any], None, None]:
        """Runs the jobs that are left. Raises Lost if the connection breaks."""
        todo = deque(sorted(self.left))
        flying: dict[str, tuple[int, Any]] = {}
        """Index and future of the jobs that have been submitted."""
        done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        threads, checked, last_seen = 1, -GIVE_UP, time.monotonic()
        while self.left:
            now = time.monotonic()
            if now - checked > 2:
                before, threads, checked = threads, self.threads(client), now
                if threads:
                    last_seen = now
                elif before:
                    say(f"waiting for a Dask worker at {self.address}")
                elif now - last_seen > GIVE_UP:
                    text = f"no Dask worker at {self.address} for {GIVE_UP:.0f} seconds"
                    raise ConnectionError(errno.ETIMEDOUT, text)
            while todo and len(flying) < 2 * threads + AHEAD:
                index = todo.popleft()
                future = self.submit(client, index)
                flying[future.key] = index, future
                future.add_done_callback(lambda future: done.put(future.key))
            try:
                index, future = flying.pop(done.get(timeout=1))
            except queue.Empty:
                if client.status != "running":
                    raise Lost from None
                continue
            answer = self.answer(future, index)
            if answer is None:
                todo.appendleft(index)
            else:
                self.left.remove(index)
                yield index, answer["result"]

    def threads(self, client: Any) -> int:
        """The number of threads of all Dask workers."""
        with noticing_loss():
            return sum(client.sync(client.scheduler.ncores, callback_timeout=30).values())

    def submit(self, client: Any, index: int) -> Any:
        """The future of a job."""
        self.submitted += 1
        key = f"ttt-{self.session}-{self.submitted}"
        message = [__version__, self.session, self.task, self.settings, self.jobs[index]]
        with noticing_loss():
            return client.submit(eval, RUN_JOB, {"message": json.dumps(message)}, key=key)

    def answer(self, future: Any, index: int) -> dict[str, Any] | None:
        """The answer to a job; None if it must be submitted again. Raises the job's error."""
        try:
            with noticing_loss():
                try:
                    answer: dict[str, Any] = future.result(timeout=10)
                except asyncio.TimeoutError:  # its Dask worker has died with the result
                    return None
        except self.dask.scheduler.KilledWorker:
            self.deaths[index] += 1
            if self.deaths[index] < TRIES:
                return None
            name = shorten(self.jobs[index])
            raise error_of("ChildProcessError", f"job {name}: too many Dask workers died") from None
        except ImportError as error:
            raise ValueError(
                f"a Dask worker cannot import ttt ({error}); install the same version of"
                ' "ttt-engine[cluster]" on all machines'
            ) from None
        if "error" in answer:
            raise error_of(*answer["error"])
        return answer

    def close(self, client: Any) -> None:
        """Ends the processes of this session and the client; takes a few seconds at most."""

        def close() -> None:
            with suppress(Exception):
                if client.status == "running":
                    client.run(stop_session, self.session, on_error="ignore")
            with suppress(Exception):
                client.close(timeout=2)

        thread = threading.Thread(target=close, daemon=True)
        thread.start()
        thread.join(5)


@contextmanager
def noticing_loss() -> Iterator[None]:
    """Raises Lost instead of what Dask raises when its connection breaks."""
    closed = import_module("distributed.client").ClosedClientError
    try:
        yield
    except (OSError, CancelledError, asyncio.TimeoutError, closed):
        raise Lost from None


def run_on_cluster(
    task: str, settings: dict[str, Any], jobs: list[Any], address: str
) -> Generator[tuple[int, Any], None, None]:
    """Runs the jobs on the Dask cluster whose scheduler has this address."""
    run = Run(task, settings, jobs, address)
    patience = 0.0
    while run.left:
        client = run.connect(patience)
        began, before = time.monotonic(), len(run.left)
        try:
            yield from run.results(client)
        except Lost:
            now = time.monotonic()
            if len(run.left) < before or now - began > GIVE_UP or not patience:
                deadline = now + GIVE_UP
            patience = deadline - now
            if patience <= 0:
                text = f"the connection to the Dask scheduler at {address} breaks again and again"
                raise ConnectionError(errno.ECONNRESET, text) from None
            say(
                f"lost the Dask scheduler at {address}; jobs left: {len(run.left)}; trying to reach"
                f" it for {patience:.0f} seconds"
            )
        finally:
            run.close(client)
