"""Start-up and memory of a fresh process."""

import os
import subprocess
import sys
from pathlib import Path

from peers.measure import OURS, Bench, Row, Timing

PROJECT = Path(__file__).parent.parent.parent
IMPORTS = {
    OURS: "import ttt",
    "OpenSpiel": "import pyspiel",
    "python-chess": "import chess",
    "BitBully": "import bitbully",
}
FIRST = {
    OURS: "import ttt; ttt.Board('connect4')",
    "OpenSpiel": "import pyspiel; pyspiel.load_game('connect_four').new_initial_state()",
    "python-chess": "import chess; chess.Board()",
    "BitBully": "import bitbully; bitbully.Board()",
    "easyAI": "from easyAI.games import ConnectFour; ConnectFour([None, None])",
}
SOLVED = "44444225"
SOLVING = {
    OURS: f"import ttt; b = ttt.Board('connect4'); b.push_moves('{SOLVED}'); "
    "ttt.Engine('connect4', hash=16).solve(b)",
    "BitBully": "from bitbully import bitbully_core as c; b = c.BoardCore(); "
    f"[b.play(int(m) - 1) for m in '{SOLVED}']; c.BitBullyCore().mtdf(b, 0)",
}
CREATED = (
    "import ttt.engine, ttt.storage.weights; from time import process_time as now; "
    "ttt.Board({0!r}); began = now(); ttt.Engine({0!r}); print(1000 * (now() - began))"
)
"""Prints the CPU milliseconds of making an engine, without the imports."""
PEAK = "; print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])"
MODULES = {
    "OpenSpiel": "pyspiel",
    "python-chess": "chess",
    "BitBully": "bitbully",
    "easyAI": "easyAI",
}


def child(arguments: list[str]) -> tuple[float, str]:
    """CPU milliseconds and output of Python without `.pth` files, which would load modules of an
    editable install for every contender."""
    folders = [PROJECT / "python", PROJECT / "src", *(p for p in sys.path if "site-packages" in p)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}
    running = subprocess.Popen(
        [sys.executable, "-S", *arguments], env=environment, stdout=subprocess.PIPE, text=True
    )
    assert running.stdout
    told = running.stdout.read()
    _, status, used = os.wait4(running.pid, 0)
    running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode:
        raise SystemExit(f"python {' '.join(arguments)} failed")
    return 1000 * (used.ru_utime + used.ru_stime), told


def cpu(*arguments: str) -> Timing:
    return lambda seconds: min(child(list(arguments))[0] for _ in range(2))


def printed(code: str) -> Timing:
    """The number that a process prints."""
    return lambda seconds: min(float(child(["-c", code])[1]) for _ in range(2))


def memory(code: str) -> Timing:
    """Peak memory in MiB from /proc; `getrusage` of a child would include that of its parent."""
    return lambda seconds: float(child(["-c", code + PEAK])[1]) / 1024


def measure(bench: Bench) -> None:
    here = {OURS, *(who for who, module in MODULES.items() if bench.peer(module, who))}
    bare = min(child(["-c", "pass"])[0] for _ in range(5))
    whole = "a whole process, including Python"
    shares = f"bare Python takes {bare:.1f} ms"
    tasks = {
        "start-up: import": (IMPORTS, shares),
        "start-up: import and first position": (FIRST, shares),
    }
    for work, (codes, told) in tasks.items():
        timings = {who: cpu("-c", code) for who, code in codes.items() if who in here}
        bench.measure(Row(work, "any", "ms", whole, {}, told), timings)
    row = Row("start-up: ttt --version", "any", "ms", whole, {}, shares)
    bench.measure(row, {OURS: cpu("-m", "ttt", "--version")})
    for game in ("connect4", "nineboard", "ultimate"):
        row = Row("start-up: first engine", game, "ms", "an engine in a fresh process", {})
        bench.measure(row, {OURS: printed(CREATED.format(game))})
    if not Path("/proc/self/status").exists():
        bench.left_out.append("memory (no /proc)")
        return
    shares = f"bare Python takes {memory('pass')(0):.1f} MiB"
    timings = {who: memory(code) for who, code in FIRST.items() if who in here}
    bench.measure(
        Row("memory: import and first position", "any", "MiB", whole, {}, shares), timings
    )
    timings = {who: memory(code) for who, code in SOLVING.items() if who in here}
    note = "ours has a table of 16 MiB, which is enough for the empty board"
    row = Row(f"memory: solving {SOLVED}", "connect4", "MiB", whole, {}, note)
    bench.measure(row, timings, rounds=3)
