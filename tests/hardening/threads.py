"""Threads that share a table: eight under ThreadSanitizer, and a stress test for torn entries.

Both must also detect a known fault: a table without atomics and checks.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from hardening import Row, sanitizers
from hardening.outside import build_module

PARTS = ("race", "hammer")
QUICK = 0.02
QUICK_PARTS = ("hammer",)
SECONDS = 60
HITS = 10_000_000
NAIVE = "-DTTT_NAIVE_TABLE"
ROUNDS = 200_000

HAMMERING = f"""
import sys
from threading import Thread
from hammer import Hammer
hammer, totals = Hammer(2, 24), [0, 0]
def work(number):
    found = hammer.work(number, {ROUNDS})
    totals[0] += found[0]; totals[1] += found[1]
hits, torn, most = map(int, sys.argv[1:])
number = 0
while (totals[0] < hits or totals[1] < torn) and number < most:
    threads = [Thread(target=work, args=(number + i,)) for i in range(8)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    number += 8
print(*totals)
"""

SEARCHING = """
import sys, time
from ttt import Board, Engine
import ttt
end = time.monotonic() + float(sys.argv[1])
searches = nodes = 0
while time.monotonic() < end:
    for game in ttt.games():
        board = Board(game).playout(searches)
        for _ in range(len(board.moves) * 2 // 3 + 1): board.pop()
        engine = Engine(game, hash=1, threads=8, solver=searches % 2 == 0)
        nodes += engine.search(board, time=0.5, multipv=1 + searches % 2).nodes
        searches += 1
print(searches, nodes)
"""


def check(part: str, scale: float) -> Iterator[Row]:
    yield from hammer(scale) if part == "hammer" else race(scale)


def hammer(scale: float) -> Iterator[Row]:
    hits = int(HITS * max(scale, 0.1))
    with TemporaryDirectory() as folder:
        for name, flags in (("hammer", []), ("hammer, naive table", [NAIVE])):
            target = Path(folder, name.replace(", ", "-").replace(" ", "-"))
            target.mkdir()
            build_module("hammer", target, "-O2", *flags)
            done = run_python(target, HAMMERING, str(hits), str(len(flags)), "10000")
            found, torn = map(int, done.stdout.split())
            enough = found >= hits
            yield Row(
                f"torn entries: {name}",
                f"{torn:,} in {found / 1e6:.1f} M hits of 8 threads",
                "more than 0" if flags else f"0 in {hits / 1e6:g} M",
                torn > 0 if flags else enough and not torn,
            )


def race(scale: float) -> Iterator[Row]:
    target = sanitizers.build(sanitizers.THREAD)
    done = run_sanitized(SEARCHING, [target], str(SECONDS * scale))
    figure = f"status {done.returncode}: {done.stdout.strip() or done.stderr[:200]!r}"
    if not done.returncode:
        searches, nodes = map(int, done.stdout.split())
        figure = f"{SECONDS * scale:.0f} s, {searches} searches, {nodes / 1e6:.1f} M nodes, silent"
    good = done.returncode == 0 and "ThreadSanitizer" not in done.stderr
    print(done.stderr, file=sys.stderr)
    yield Row("8 threads, a table of 1 MiB, ThreadSanitizer", figure, "silent", good)
    with TemporaryDirectory() as folder:
        build_module("hammer", Path(folder), "-O1", "-g", "-fsanitize=thread", NAIVE)
        done = run_sanitized(HAMMERING, [Path(folder), target], "100000", "0", "8")
        seen = done.returncode == 66 and "data race" in done.stderr
        print(done.stderr[-2000:], file=sys.stderr)
        yield Row("naive table, ThreadSanitizer", f"status {done.returncode}", "reported", seen)


def run_sanitized(
    program: str, folders: list[Path], *arguments: str
) -> "subprocess.CompletedProcess[str]":
    """Runs a program under ThreadSanitizer."""
    return subprocess.run(
        [*sanitizers.python(sanitizers.THREAD), "-c", program, *arguments],
        env=sanitizers.environment(sanitizers.THREAD, *folders),
        capture_output=True,
        text=True,
        check=False,
    )


def run_python(folder: Path, program: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
