"""The proof that the first player wins Qubic: threat search next to C, proof, what each part buys.

    python bench/qubic.py [--json]               threat search and proof, about half a minute
    python bench/qubic.py --ablation [NAME ...]  the proof without each technique: some minutes
    python bench/qubic.py --openings SECONDS     what can be said of each first move in that time

In an ablation a technique is taken out of a copy of the sources by a change of a few words and the
solver is built anew. A change that no longer fits the sources is an error.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from array import array
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from ttt import Board
from ttt.solvers.qubic import FEW, QubicSolver
from ttt_core.solvers import qubic as core

PROJECT = Path(__file__).parent.parent
PLIES = (8, 10, 12, 16)
POSITIONS = 5000
SEED = 1
ROUNDS = 5
THREATS = "src/ttt_core/solvers/qubic_threats.pxd"
MOVES = "src/ttt_core/solvers/qubic_moves.pxd"
PROOF = "src/ttt_core/search/proof.pxi"
SOLVER = "src/ttt_core/solvers/qubic.pyx"
MOST_NODES = 600_000_000
CHANGES = {
    "nothing": (THREATS, "", ""),
    "gains that sleep": (THREATS, "0 if crowded or below_twice else tried & ~(gain | reply)", "0"),
    "failures remembered": (
        THREATS,
        "    failure.mine = mine.stones\n    failure.theirs = theirs.stones\n",
        "",
    ),
    "failures fetched ahead": (
        THREATS,
        "        prefetch(failure_of(threats, mine.stones | gain, theirs.stones | reply))\n",
        "",
    ),
    "few failures (8 MiB, not 64)": (SOLVER, "FAILURES = 8 ", "FAILURES = 64 "),
    "zones of the attacker's chains": (
        MOVES,
        "cells &= zone(threats, attacker, &defender)",
        "cells &= ~(<uint64_t> 1 << cell)",
    ),
    "sums (weak proof numbers)": (MOVES, "WEAK = 0 ", "WEAK = 1 "),
    "first numbers by evaluation": (
        MOVES,
        "1 + (64 - value) // 4 if value < 64 else 1",
        "1",
    ),
    "slack of a sixteenth": (PROOF, "second + 1 + second // SLACK", "second + 1"),
    "lists that are kept": (
        MOVES,
        "    if slot.key:\n        memcpy",
        "    if False:\n        memcpy",
    ),
    "symmetric positions as one": (
        "src/ttt_core/solvers/qubic_symmetry.pxd",
        "    for i in range(SYMMETRIES):\n        found = min(",
        "    for i in range(1):\n        found = min(",
    ),
    "few attacks (7, then all)": (SOLVER, "self.set_width(early, later)", "self.set_width(64, 64)"),
}


def compiled(name: str, folder: Path) -> Path:
    program = folder / name
    source = PROJECT / "bench/c" / f"{name}.c"
    subprocess.run(["gcc", "-O3", "-march=native", "-o", program, source], check=True)
    return program


def measure_threats(program: Path) -> list[dict[str, Any]]:
    """Share of wins and nodes a CPU second, ours and C's, on the same positions."""
    command = [str(program), str(POSITIONS), str(SEED), *map(str, PLIES)]
    theirs = [subprocess.run(command, capture_output=True, text=True, check=True)]
    theirs += [subprocess.run(command, capture_output=True, text=True) for _ in range(ROUNDS - 1)]
    rows = [[line.split() for line in done.stderr.splitlines()] for done in theirs]
    lines = [tuple(map(int, line.split())) for line in theirs[0].stdout.splitlines()]
    found = []
    for i, plies in enumerate(PLIES):
        part = lines[i * POSITIONS : (i + 1) * POSITIONS]
        words = array("Q", [word for mine, other, _ in part for word in (mine, other)])
        best = float("inf")
        for _ in range(ROUNDS):
            solver = core.Solver(64)
            began = process_time()
            answers, nodes = solver.threats_many(words)
            best = min(best, process_time() - began)
        if list(answers) != [won for _, _, won in part]:
            sys.exit(f"ply {plies}: the C program has other answers")
        slow = min(float(row[i][3]) for row in rows)
        found.append(
            {
                "plies": plies,
                "wins": sum(answers) / POSITIONS,
                "nodes": nodes,
                "nodes of C": int(rows[0][i][2]),
                "nodes/s": round(nodes / best),
                "nodes/s of C": round(int(rows[0][i][2]) / slow),
                "time/C": best / slow,
            }
        )
    return found


def measure_proof() -> list[dict[str, Any]]:
    """The empty board, an empty table, no file: best of some rounds."""
    found: list[dict[str, Any]] = []
    for threads in (1, 2):
        rounds = []
        for _ in range(ROUNDS):
            solver = core.Solver(128, threads)
            began, cpu = perf_counter(), process_time()
            record = solver.prove(0, 0, True, *FEW, 1 << 60, 0.0)
            spent = {"seconds": perf_counter() - began, "CPU seconds": process_time() - cpu}
            if record["proof"]:
                sys.exit("the win was not proven")
            rounds.append({**record, **spent})
        best = min(rounds, key=lambda record: record["seconds"])
        names = ("expansions", "positions", "threat_nodes", "seconds", "CPU seconds")
        row = {"threads": threads, **{name: best[name] for name in names}}
        cpu = min(record["CPU seconds"] for record in rounds)
        row["nodes/CPU s"] = round(best["threat_nodes"] / best["CPU seconds"])
        row["sooner by CPU"] = found[0]["CPU seconds"] / cpu * threads if found else 1.0
        found.append(row)
    return found


SCRIPT = """
import json, sys, time
from ttt_core.solvers.qubic import QubicSolver
solver = QubicSolver(128)
began = time.process_time()
record = solver.prove(0, 0, True, {early}, {later}, {most}, 0.0)
record["cpu"] = time.process_time() - began
print(json.dumps(record))
"""


def without(name: str, folder: Path) -> dict[str, Any]:
    """The proof without a technique."""
    file, old, new = CHANGES[name]
    ignored = shutil.ignore_patterns("*.so", "__pycache__", "connect4*.pyx", "mnk.pyx", "u*.pyx")
    shutil.copytree(PROJECT / "src", folder / "src", ignore=ignored)
    shutil.copytree(PROJECT / "python", folder / "python")
    for part in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(PROJECT / part, folder / part)
    for other in (folder / "src/ttt_core/games").glob("*.pyx"):
        other.unlink()
    text = (folder / file).read_text()
    if old not in text:
        sys.exit(f"{name}: {old!r} is not in {file}")
    (folder / file).write_text(text.replace(old, new))
    build = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    subprocess.run(build, cwd=folder, check=True, capture_output=True)
    script = SCRIPT.format(early=FEW[0], later=FEW[1], most=MOST_NODES)
    done = subprocess.run(
        [sys.executable, "-S", "-c", script],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(folder / "src")},
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def ablation(names: list[str]) -> None:
    whole: dict[str, Any] = {}
    print("| without | proven | expansions | positions | threat nodes | CPU seconds |")
    print("|---|---|---|---|---|---|")
    for name in dict.fromkeys(["nothing", *(names or CHANGES)]):
        with tempfile.TemporaryDirectory() as folder:
            found = without(name, Path(folder))
        whole = whole or found
        keys = ("expansions", "positions", "threat_nodes", "cpu")
        ratios = " | ".join(f"{found[key] / whole[key]:.2f}" for key in keys)
        print(f"| {name} | {'no' if found['proof'] else 'yes'} | {ratios} |", flush=True)


def openings(seconds: float) -> None:
    """The two kinds of first moves, each from an empty table and without the file."""
    for cell in ("111", "112"):
        board = Board("qubic")
        board.push(cell)
        found = QubicSolver(hash=1024).solve(board, time=seconds, no_book=True)
        print(f"{cell}: {found.value} for o, {found.details}, {found.seconds:.1f} s", flush=True)


def table(rows: list[dict[str, Any]]) -> str:
    def cell(value: Any) -> str:
        if isinstance(value, str):
            return value
        return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"

    lines = [list(rows[0]), *([cell(value) for value in row.values()] for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join(
        "  ".join(f"{text:>{width}}" for text, width in zip(line, widths, strict=True))
        for line in lines
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="The proof of Qubic.")
    parser.add_argument("--json", action="store_true", help="one JSON object, no tables")
    parser.add_argument("--ablation", nargs="*", metavar="NAME", help="without each technique")
    parser.add_argument("--openings", type=float, metavar="SECONDS", help="each first move")
    asked = parser.parse_args()
    if asked.ablation is not None:
        ablation(asked.ablation)
        return
    if asked.openings is not None:
        openings(asked.openings)
        return
    with tempfile.TemporaryDirectory() as folder:
        found = {"threats": measure_threats(compiled("threats", Path(folder)))}
    found["proof"] = measure_proof()
    print(json.dumps(found) if asked.json else "\n\n".join(map(table, found.values())))


if __name__ == "__main__":
    main()
