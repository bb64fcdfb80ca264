"""A Dask cluster of real processes on this machine, some of which can be killed.

`python -m support.cluster ADDRESS JOBS SECONDS LOG` is a master: it calls `work_through`, on the
cluster or (ADDRESS "local") in processes.
"""

import json
import os
import socket
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

from ttt.jobs import run_jobs
from ttt.storage.lines import LineFile

TESTS = Path(__file__).parent.parent
DASK = [sys.executable, "-m", "dask"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Cluster:
    """A scheduler and workers; a thread replaces those that have ended."""

    def __init__(self, folder: Path, workers: int = 3) -> None:
        self.folder = folder
        self.environment = {**os.environ, "PYTHONPATH": str(TESTS)}
        self.address = f"tcp://127.0.0.1:{free_port()}"
        self.scheduler = self.start_scheduler()
        self.workers = [self.start_worker() for _ in range(workers)]
        self.killed = 0
        self.closing = threading.Event()
        self.keeper = threading.Thread(target=self.keep, daemon=True)
        self.keeper.start()

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        log = self.folder / f"{arguments[0]}.log"
        with log.open("ab") as output:
            return subprocess.Popen(
                [*DASK, *arguments],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )

    def start_scheduler(self) -> subprocess.Popen[bytes]:
        port = self.address.rpartition(":")[2]
        return self.start("scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard")

    def start_worker(self) -> subprocess.Popen[bytes]:
        options = ("--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--no-dashboard")
        return self.start("worker", self.address, *options)

    def keep(self) -> None:
        while not self.closing.wait(0.2):
            if self.scheduler.poll() is not None:
                self.scheduler = self.start_scheduler()
            for place, worker in enumerate(self.workers):
                if worker.poll() is not None:
                    self.workers[place] = self.start_worker()

    def kill_worker(self, random: Random) -> None:
        random.choice(self.workers).kill()
        self.killed += 1

    def stop_keeping(self) -> None:
        """From now on nothing is replaced."""
        self.closing.set()
        self.keeper.join()

    def close(self) -> None:
        self.stop_keeping()
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


def start_master(address: str, jobs: int, seconds: float, log: Path) -> subprocess.Popen[str]:
    arguments = [address, str(jobs), str(seconds), str(log)]
    return subprocess.Popen(
        [sys.executable, "-m", "support.cluster", *arguments],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        stderr=subprocess.PIPE,
        text=True,
    )


def work_through(address: str, jobs: int, seconds: float, log: Path) -> None:
    """Runs the jobs that the log does not have yet, and appends their results."""
    where: dict[str, Any] = {"processes": 2} if address == "local" else {"cluster": address}
    with LineFile(str(log)) as file:
        done = {json.loads(line)["job"] for line in file.lines}
        missing = [job for job in range(jobs) if job not in done]
        settings = {"seconds": seconds}
        with closing(run_jobs("support.tasks:short", settings, missing, **where)) as results:
            for _, result in results:
                file.append(json.dumps(result))


if __name__ == "__main__":
    work_through(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), Path(sys.argv[4]))
