"""What `ttt.jobs` costs at jobs of one second, compared with plain processes that share nothing.

    python bench/jobs.py [--jobs 60] [--processes 2] [--rounds 3]

A job sleeps for one second, or computes for about as long. "Plain" starts one Python process per
core, each with its share of the jobs. "Local" is `run_jobs(processes=...)`, "Dask" the same on a
scheduler and workers on this machine (extra [cluster]), which are running before the clock starts.
The contenders alternate; the best time of each counts.
"""

import argparse
import os
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
PLAIN = "import sys, jobs; run = jobs.make_job({'loops': int(sys.argv[1])})\n"
PLAIN += "for job in range(int(sys.argv[2])): run(job)"


def make_job(settings: dict[str, Any]) -> Callable[[int], int]:
    """A job that sleeps for a second, or computes for so many loops."""
    loops = settings["loops"]

    def run(job: int) -> int:
        if not loops:
            time.sleep(1)
        found = job
        for _ in range(loops):
            found = found * 69069 % 4294967291
        return found

    return run


def loops_per_second() -> int:
    """How many loops take a second of CPU time while all cores are busy, roughly."""
    began = time.process_time()
    make_job({"loops": 2_000_000})(1)
    return int(2_000_000 / (time.process_time() - began))


def plain(loops: int, jobs: int, processes: int) -> None:
    shares = [jobs // processes + (i < jobs % processes) for i in range(processes)]
    started = [
        subprocess.Popen([sys.executable, "-c", PLAIN, str(loops), str(share)], cwd=HERE)
        for share in shares
    ]
    assert not any(process.wait() for process in started)


def start_cluster(folder: str, workers: int) -> tuple[str, list[subprocess.Popen[bytes]]]:
    """The address and the processes of a Dask cluster."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    scheduler = ["scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
    worker = ["worker", address, "--nthreads", "1", "--no-dashboard"]
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    dask = [sys.executable, "-m", "dask"]
    return address, [
        subprocess.Popen([*dask, *arguments], cwd=folder, **quiet)
        for arguments in (scheduler, *[worker] * workers)
    ]


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
            measure(given, address)
        finally:
            for process in started:
                process.terminate()
                process.wait()


def measure(given: argparse.Namespace, address: str) -> None:
    def run(loops: int, jobs: int, **where: Any) -> None:
        assert len(list(run_jobs("jobs:make_job", {"loops": loops}, range(jobs), **where))) == jobs

    contenders: dict[str, Callable[[int], None]] = {
        "plain": lambda loops: plain(loops, given.jobs, given.processes),
        "local": lambda loops: run(loops, given.jobs, processes=given.processes),
        "Dask": lambda loops: run(loops, given.jobs, cluster=address),
    }
    run(1, 20, cluster=address)  # all workers have arrived
    print(f"{given.jobs} jobs, {given.processes} processes, best of {given.rounds}\n")
    print("| jobs | " + " | ".join(f"{name}, s" for name in contenders) + " | local | Dask |")
    print("|---|---|---|---|---|---|")
    for kind, loops in (("sleep", 0), ("compute", loops_per_second())):
        best = dict.fromkeys(contenders, float("inf"))
        for _ in range(given.rounds):
            for name, work in contenders.items():
                began = time.perf_counter()
                work(loops)
                best[name] = min(best[name], time.perf_counter() - began)
        ratios = [f"{best[name] / best['plain'] - 1:+.1%}" for name in ("local", "Dask")]
        times = [f"{seconds:.2f}" for seconds in best.values()]
        print(f"| {kind} | " + " | ".join(times + ratios) + " |", flush=True)


if __name__ == "__main__":
    main()
