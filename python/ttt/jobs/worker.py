"""The worker process: reads jobs from its input and answers on its output.

Both directions are lines of JSON. The first line of the input is [task, settings]. Each following
line is a job, {"job": job}; if the last worker died in this job, it also has "crash": [note, exit
status]. The answers are {"note": value}, any number of them, then {"result": value} or {"error":
[kind, message]}. When its input ends, the process exits, even in the middle of a job: so no worker
outlives the process that started it.
"""

import json
import os
import queue
import signal
import threading
import traceback
from collections.abc import Callable
from importlib import import_module
from typing import Any, TextIO

from ttt_core.system import ending_signals

Job = Callable[[Any], Any]
"""Turns a job into its result."""

_output: TextIO | None = None


def load_task(task: str, settings: dict[str, Any]) -> Job:
    """Calls the function that a task names."""
    module, _, name = task.partition(":")
    job: Job = getattr(import_module(module), name)(settings)
    return job


def note(value: Any) -> None:
    """Sends a JSON value to the process that started this one, which keeps the last one for
    `after_crash`. Outside a worker process this does nothing."""
    if _output is not None:
        send(json.dumps({"note": value}))


def send(line: str) -> None:
    try:
        print(line, file=_output, flush=True)
    except BrokenPipeError:  # the process that started this one has ended
        os._exit(0)


def answer(job: Job, message: dict[str, Any]) -> Any:
    """The result of a job."""
    if "crash" in message and hasattr(job, "after_crash"):
        return job.after_crash(message["job"], *message["crash"])
    return job(message["job"])


def main() -> None:
    """The main program of a worker."""
    global _output
    _output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    source = os.fdopen(os.dup(0), encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # a job has no input
    os.dup2(2, 1)  # and what it prints goes to stderr
    for number in (signal.SIGINT, *ending_signals()):  # for the process that started it
        signal.signal(number, lambda *_: None)  # not SIG_IGN, which its children would inherit
    head = source.readline()
    if not head.endswith("\n"):
        return
    task, settings = json.loads(head)
    messages: queue.SimpleQueue[str] = queue.SimpleQueue()

    def read_messages() -> None:
        for line in source:
            if line.endswith("\n"):
                messages.put(line)
        os._exit(0)

    threading.Thread(target=read_messages, daemon=True).start()
    job: Job | None = None
    while True:
        message = json.loads(messages.get())
        try:
            if job is None:
                job = load_task(task, settings)
            text = json.dumps({"result": answer(job, message)})
        except ValueError as error:
            text = json.dumps({"error": ["ValueError", str(error)]})
        except Exception as error:
            traceback.print_exc()
            text = json.dumps({"error": ["RuntimeError", f"{type(error).__name__}: {error}"]})
        send(text)
