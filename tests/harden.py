"""Robustness suite; prints a table: test, figure, limit, verdict.

    python tests/harden.py [--quick] [--scale X] [CHECK[/PART] ...]

A check is a module of `tests/hardening` with a function `check(part, scale)` that yields rows.
It may define:

    PARTS         parts that can run at the same time
    QUICK         the scale under --quick, which CI runs; None: not run there
    QUICK_PARTS   the parts that run under --quick, if not all
    ALONE         True: it measures time, so nothing else runs beside it

Every part runs in its own process, one per processor; its other output goes to build/harden/.
The exit status is 1 if a verdict is bad.
"""

import argparse
import importlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

from hardening import Row

TESTS = Path(__file__).parent
LOGS = TESTS.parent / "build/harden"
CHECKS = (
    "fuzz", "stateful", "sanitize", "threads", "lifetime", "interrupts", "allocation", "files",
    "special", "protocols", "kills", "soak", "memcheck", "static",
)  # fmt: skip
"""In the order of the table. Keep long ones away from the end."""


def module(name: str) -> Any:
    return importlib.import_module(f"hardening.{name}")


def jobs(wanted: list[str], quick: bool) -> Iterator[tuple[str, str]]:
    """The (check, part) pairs to run."""
    for name in wanted or CHECKS:
        check, _, chosen = name.partition("/")
        if check not in CHECKS:
            sys.exit(f"error: unknown check {check!r}; choose from {', '.join(CHECKS)}")
        if quick and getattr(module(check), "QUICK", None) is None:
            continue
        parts = getattr(module(check), "PARTS", ("",))
        if quick:
            parts = getattr(module(check), "QUICK_PARTS", parts)
        for part in parts:
            if chosen in ("", part):
                yield check, part


def run_job(check: str, part: str, scale: float) -> tuple[list[Row], float]:
    """Runs one part in its own process; returns its rows and its seconds."""
    title = f"{check} {part}".strip()
    log = LOGS / f"{title.replace(' ', '-')}.log"
    began = time.monotonic()
    with log.open("w", encoding="utf-8") as errors:
        done = subprocess.run(
            [sys.executable, __file__, "--job", f"{check}/{part}", "--scale", str(scale)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            check=False,
        )
    rows = [Row(*json.loads(line)) for line in done.stdout.splitlines() if line.startswith("[")]
    if done.returncode or not rows:
        place = os.path.relpath(log)
        rows.append(Row(title, f"ended with status {done.returncode}", f"see {place}", False))
    return rows, time.monotonic() - began


def one_job(name: str, scale: float) -> None:
    """Runs inside that process: prints the rows as JSON."""
    check, _, part = name.partition("/")
    for row in module(check).check(part, scale):
        print(json.dumps(row), flush=True)


def main() -> int:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup lets it be ignored, by children too
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("checks", nargs="*", metavar="CHECK")
    parser.add_argument("--quick", action="store_true", help="only the half that CI runs")
    parser.add_argument("--scale", type=float, default=1.0, help="amount of work, 1 by default")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.job:
        one_job(arguments.job, arguments.scale)
        return 0
    LOGS.mkdir(parents=True, exist_ok=True)
    together: SimpleQueue[tuple[int, str, str]] = SimpleQueue()
    alone: SimpleQueue[tuple[int, str, str]] = SimpleQueue()
    found: dict[int, list[Row]] = {}
    for place, (check, part) in enumerate(jobs(arguments.checks, arguments.quick)):
        (alone if getattr(module(check), "ALONE", False) else together).put((place, check, part))
    began = time.monotonic()

    def work(todo: SimpleQueue[tuple[int, str, str]]) -> None:
        while not todo.empty():
            place, check, part = todo.get()
            scale = module(check).QUICK if arguments.quick else 1.0
            found[place], spent = run_job(check, part, scale * arguments.scale)
            good = all(row.good for row in found[place])
            print(f"{check} {part}: {spent:.0f} s{'' if good else ', BAD'}", file=sys.stderr)

    threads = [Thread(target=work, args=(together,)) for _ in range(os.cpu_count() or 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    work(alone)
    rows = [row for place in sorted(found) for row in found[place]]
    print(table(rows))
    bad = sum(not row.good for row in rows)
    print(f"{len(rows)} rows, {bad} bad, {time.monotonic() - began:.0f} s")
    return 1 if bad or not rows else 0


def table(rows: list[Row]) -> str:
    """The rows in aligned columns."""
    lines = [("test", "figure", "limit", "verdict")]
    lines += [(row.test, row.figure, row.limit, "good" if row.good else "BAD") for row in rows]
    wide = [max(len(line[i]) for line in lines) for i in range(3)]
    return "\n".join(
        "  ".join([*(cell.ljust(width) for cell, width in zip(line, wide, strict=False)), line[3]])
        for line in lines
    )


if __name__ == "__main__":
    sys.exit(main())
