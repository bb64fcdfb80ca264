"""The portable build, which picks a variant for the processor, against the build for this machine.

Runs the workloads of `bench/workloads.py`. The portable build is the wheel that `make package`
installs in `build/empty`; run as a program, this module is its side of the comparison.
"""

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from workloads import workloads

from peers.measure import OURS, Bench, Row, Timing, cost

PROJECT = Path(__file__).parent.parent.parent
PYTHON = PROJECT / "build/empty/bin/python"


class Worker:
    """A process that answers each line "seconds workload" by the milliseconds of a run."""

    def __init__(self, python: Path) -> None:
        pipe = subprocess.PIPE
        command = [str(python), "-P", str(Path(__file__).resolve())]
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)

    def timing(self, name: str) -> Timing:
        def sample(seconds: float) -> float:
            assert self.process.stdin
            assert self.process.stdout
            print(seconds, name, file=self.process.stdin, flush=True)
            return float(self.process.stdout.readline())

        return sample

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


def measure(bench: Bench) -> None:
    if not PYTHON.exists():
        bench.absent["portable build"] = "`make package` installs it in build/empty"
        return
    other = Worker(PYTHON)
    rows: list[tuple[Row, dict[str, Timing]]] = []
    for name, run in workloads().items():
        work, game = name.split()
        row = Row(f"portable: {work}", game, "ms", "a workload of bench/workloads.py", {})
        rows.append((row, {OURS: cost(run), "portable": other.timing(name)}))
    bench.measure_all(rows)
    other.close()


def serve() -> None:
    todo = workloads()
    for line in sys.stdin:
        seconds, name = line.strip().split(" ", 1)
        print(cost(todo[name])(float(seconds)), flush=True)


if __name__ == "__main__":
    serve()
