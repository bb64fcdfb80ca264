"""What `ttt.jobs` costs at jobs of one second, compared with plain processes that share nothing.

    python bench/jobs.py [--jobs 60] [--processes 2] [--rounds 3]

A job sleeps for one second, so other load hardly matters, and all CPU time is overhead. "Plain"
starts as many Python processes, each with its share of the jobs. "Local" is
`run_jobs(processes=...)`, "Dask" the same on a scheduler and workers on this machine (extra
[cluster]), which run before the clock starts. The contenders alternate; the best time of each
counts, and the least CPU time of all its processes, divided by the jobs.
"""

import argparse
import os
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ttt.jobs import run_jobs

HERE = Path(__file__).parent
TICKS = os.sysconf("SC_CLK_TCK")
PLAIN = "import sys, time\nfor job in range(int(sys.argv[1])): time.sleep(1)"


def make_job(settings: dict[str, Any]) -> Callable[[int], int]:
    """A job that sleeps for a while."""

    def run(job: int) -> int:
        time.sleep(settings["seconds"])
        return job

    return run


def plain(jobs: int, processes: int) -> None:
    shares = [jobs // processes + (i < jobs % processes) for i in range(processes)]
    started = [
        subprocess.Popen([sys.executable, "-c", PLAIN, str(share)], cwd=HERE) for share in shares
    ]
    assert not any(process.wait() for process in started)


def start_cluster(folder: str, workers: int) -> tuple[str, list[subprocess.Popen[bytes]]]:
    """The address and the processes of a Dask cluster."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    scheduler = ["scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
    worker = ["worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    dask = [sys.executable, "-m", "dask"]
    return address, [
        subprocess.Popen([*dask, *arguments], cwd=folder, **quiet)
        for arguments in (scheduler, *[worker] * workers)
    ]


def cpu_seconds(running: list[subprocess.Popen[bytes]]) -> float:
    """CPU time of this process, of its children that have ended, and of those that are running
    (Linux)."""
    total = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        total += usage.ru_utime + usage.ru_stime
    for process in running:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        total += sum(map(int, fields[11:15])) / TICKS  # user and system, own and of its children
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--jobs", type=int, default=60)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    os.environ["PYTHONPATH"] = str(HERE)
    with TemporaryDirectory() as folder:
        address, started = start_cluster(folder, given.processes)
        try:
            measure(given, address, started)
        finally:
            for process in started:
                process.terminate()
                process.wait()


def measure(
    given: argparse.Namespace, address: str, started: list[subprocess.Popen[bytes]]
) -> None:
    def run(jobs: int, seconds: float = 1.0, **where: Any) -> None:
        settings = {"seconds": seconds}
        assert len(list(run_jobs("jobs:make_job", settings, range(jobs), **where))) == jobs

    contenders: dict[str, Callable[[], None]] = {
        "plain": lambda: plain(given.jobs, given.processes),
        "local": lambda: run(given.jobs, processes=given.processes),
        "Dask": lambda: run(given.jobs, cluster=address),
    }
    run(50, 0.1, cluster=address)  # now all workers have arrived
    best: dict[str, tuple[float, float]] = {}
    for _ in range(given.rounds):
        for name, work in contenders.items():
            cpu, began = cpu_seconds(started), time.perf_counter()
            work()
            found = time.perf_counter() - began, cpu_seconds(started) - cpu
            before = best.get(name, found)
            best[name] = min(before[0], found[0]), min(before[1], found[1])
    print(f"{given.jobs} jobs of 1 s, {given.processes} processes, best of {given.rounds}\n")
    print("| runner | time, s | overhead | CPU per job, ms |\n|---|---|---|---|")
    for name, (seconds, cpu) in best.items():
        overhead = f"{seconds / best['plain'][0] - 1:+.1%}"
        print(f"| {name} | {seconds:.2f} | {overhead} | {1000 * cpu / given.jobs:.1f} |")


if __name__ == "__main__":
    main()
