"""Waiting, and whether processes are alive."""

import time
from collections.abc import Callable
from pathlib import Path


def wait_until(condition: Callable[[], object]) -> None:
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("waited for five minutes")


def is_running(pid: int) -> bool:
    """Whether a process is alive, not only waiting for its parent."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def pids(folder: Path) -> list[int]:
    """The processes that have done jobs of the task `misbehave`."""
    return [int(path.name.rpartition(".")[2]) for path in folder.iterdir()]
