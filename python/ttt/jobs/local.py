"""Jobs on this machine: in this process, or in several worker processes."""

import contextlib
import errno
import json
import queue
import subprocess
import sys
import threading
from collections.abc import Generator, Iterable
from typing import Any

from ttt.jobs.worker import load_task
from ttt_core.errors import shorten
from ttt_core.system import end_with_children

TRIES = 3
"""A job that has ended this many processes is an error."""


def error_of(kind: str, text: str) -> Exception:
    """The error of a job, from the name of its class and its message."""
    if kind == "ChildProcessError":
        return ChildProcessError(errno.ECHILD, text)
    return ValueError(text) if kind == "ValueError" else RuntimeError(text)


class Closed(Exception):
    """The worker was closed while it had a job."""


class Worker:
    """A worker process, which imports what this one could; a new one is started when it dies."""

    def __init__(self, task: str, settings: dict[str, Any]) -> None:
        self.head = json.dumps([task, settings])
        self.closed = False
        self.lock = threading.Lock()  # guards `closed` and starting
        self.start()

    def start(self) -> None:
        code = f"import sys; sys.path[:] = {sys.path}; from ttt.jobs.worker import main; main()"
        self.process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        self.send(self.head)

    def send(self, line: str) -> None:
        assert self.process.stdin
        with contextlib.suppress(OSError):  # it died: `ask` finds its output ended
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()

    def run(self, job: Any) -> Any:
        """The result of a job. Raises Closed if the worker is closed meanwhile."""
        message = {"job": job}
        for _ in range(TRIES):
            answer, note = self.ask(message)
            if "result" in answer:
                return answer["result"]
            if "error" in answer:
                raise error_of(*answer["error"])
            status = self.restart()
            message["crash"] = [note, status]
        raise error_of(
            "ChildProcessError",
            f"job {shorten(job)}: its process ended {TRIES} times, last with status {status}",
        )

    def ask(self, message: Any) -> tuple[dict[str, Any], Any]:
        """The answer to a job, {} if the process died, and the last note."""
        assert self.process.stdout
        self.send(json.dumps(message))
        note = None
        for line in self.process.stdout:
            if not line.endswith("\n"):
                break
            answer: dict[str, Any] = json.loads(line)
            if "note" not in answer:
                return answer, note
            note = answer["note"]
        return {}, note

    def restart(self) -> int:
        """Starts a new process after one has ended; returns the exit status of the old one."""
        with self.lock:
            if self.closed:
                raise Closed
            self.end()
            self.close_pipes()
            status = self.process.returncode
            self.start()
        return status

    def end(self) -> None:
        """Ends the process and those that it started."""
        if self.process.returncode is None:  # else its number may be another's
            end_with_children(self.process)
        self.process.wait()

    def kill(self) -> None:
        """Ends the process at once; a job that it has raises Closed."""
        with self.lock:
            self.closed = True
            self.end()

    def close_pipes(self) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):  # unsent input no longer matters
                assert pipe
                pipe.close()


def run_here(
    task: str, settings: dict[str, Any], jobs: Iterable[Any]
) -> Generator[tuple[int, Any], None, None]:
    """Runs the jobs in this process, in their order."""
    job = load_task(task, copied(settings))
    for index, given in enumerate(jobs):
        yield index, copied(job(copied(given)))


def copied(value: Any) -> Any:
    """A JSON value as another process would get it."""
    return json.loads(json.dumps(value))


def run_locally(
    task: str, settings: dict[str, Any], jobs: list[Any], processes: int
) -> Generator[tuple[int, Any], None, None]:
    """Runs the jobs in worker processes."""
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[int, Any] | BaseException] = queue.SimpleQueue()
    for index in range(len(jobs)):
        todo.put(index)
    workers: list[Worker] = []
    threads: list[threading.Thread] = []

    def drive(worker: Worker) -> None:
        try:
            while True:
                index = todo.get_nowait()
                done.put((index, worker.run(jobs[index])))
        except (queue.Empty, Closed):
            pass
        except BaseException as error:
            done.put(error)

    try:
        for _ in range(min(processes, len(jobs))):
            workers.append(Worker(task, settings))
            threads.append(threading.Thread(target=drive, args=workers[-1:], daemon=True))
            threads[-1].start()
        for _ in jobs:
            found = done.get()
            if isinstance(found, BaseException):
                raise found
            yield found
    finally:
        for worker in workers:
            worker.kill()
        for thread in threads:
            thread.join()
        for worker in workers:
            worker.close_pipes()
