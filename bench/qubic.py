"""Measures the proof that the first player wins Qubic, and the threat search against one in C.

    python bench/qubic.py [--json]               threat search and proof, about half a minute
    python bench/qubic.py --openings SECONDS     the value of each first move, if found in time

`bench/ablation.py qubic` measures the parts.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from array import array
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from ttt import Board
from ttt.solvers.qubic import FEW, QubicSolver
from ttt_core.solvers.qubic import solver as core

PROJECT = Path(__file__).parent.parent
PLIES = (8, 10, 12, 16)
POSITIONS = 5000
SEED = 1
ROUNDS = 5


def compiled(name: str, folder: Path) -> Path:
    program = folder / name
    source = PROJECT / "bench/c" / f"{name}.c"
    subprocess.run(["gcc", "-O3", "-march=native", "-o", program, source], check=True)
    return program


def measure_threats(program: Path) -> list[dict[str, Any]]:
    """Share of wins; nodes per CPU second of ttt and of the C program, on the same positions."""
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
            wins, nodes = solver.threats_many(words)
            best = min(best, process_time() - began)
        if list(wins) != [won for _, _, won in part]:
            sys.exit(f"ply {plies}: the results differ from those of the C program")
        slow = min(float(row[i][3]) for row in rows)
        found.append(
            {
                "plies": plies,
                "wins": sum(wins) / POSITIONS,
                "nodes": nodes,
                "nodes of C": int(rows[0][i][2]),
                "nodes/s": round(nodes / best),
                "nodes/s of C": round(int(rows[0][i][2]) / slow),
                "time/C": best / slow,
            }
        )
    return found


def measure_proof() -> list[dict[str, Any]]:
    """The proof from the empty board with an empty table and no strategy file: best of ROUNDS."""
    found: list[dict[str, Any]] = []
    for threads in (1, 2):
        rounds: list[dict[str, Any]] = []
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
        row["speed-up by CPU"] = found[0]["CPU seconds"] / cpu * threads if found else 1.0
        found.append(row)
    return found


def openings(seconds: float) -> None:
    """Solves the two first moves that differ by symmetry, without the strategy file."""
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
    parser = argparse.ArgumentParser(description="Measures the proof of Qubic.")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")
    parser.add_argument(
        "--openings", type=float, metavar="SECONDS", help="solve each first move for this long"
    )
    asked = parser.parse_args()
    if asked.openings is not None:
        openings(asked.openings)
        return
    with tempfile.TemporaryDirectory() as folder:
        found = {"threats": measure_threats(compiled("threats", Path(folder)))}
    found["proof"] = measure_proof()
    print(json.dumps(found) if asked.json else "\n\n".join(map(table, found.values())))


if __name__ == "__main__":
    main()
