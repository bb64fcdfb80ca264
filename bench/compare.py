"""`make bench`: ttt against other libraries; writes the tables and the picture.

    python bench/compare.py                     all parts: at most ten minutes, on one core
    python bench/compare.py --only MCTS calls   some parts; the others keep their last figures
    python bench/compare.py --report            write the report from the last figures

The figures are kept in build/bench.json. The report goes into the marked parts of bench/RESULTS.md
and docs/reference/speed.md and into docs/images/speed.svg. Every peer is optional: the report
names those that are not installed.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from peers import batches, calls, counting, portable, searching, solving, starting
from peers.measure import Bench, Row, pin
from peers.picture import draw
from peers.report import PROJECT, RESULTS, SPEED, machine, put, results_text, speed_text

from support.data import CONNECT4

KEPT = PROJECT / "build/bench.json"
PICTURE = PROJECT / "docs/images/speed.svg"


def parts(sets: Path) -> dict[str, Callable[[Bench], None]]:
    return {
        "perft from Python": counting.measure_calls,
        "perft at the core": counting.measure_core,
        "random games": counting.measure_playouts,
        "alpha-beta": searching.measure_alphabeta,
        "MCTS": searching.measure_mcts,
        "solving": lambda bench: solving.measure(bench, sets),
        "batches": batches.measure,
        "calls": calls.measure,
        "portable build": portable.measure,
        "start-up and memory": starting.measure,
        "growth": searching.measure_growth,
    }


def write(found: dict[str, Any]) -> None:
    put(RESULTS, results_text(found))
    put(SPEED, speed_text(found))
    rows = {name: [Row(**row) for row in part["rows"]] for name, part in found.items()}
    dates = " to ".join(sorted({part["date"] for part in found.values()}))
    PICTURE.write_text(draw(rows, f"make bench, {dates}; bench/RESULTS.md has the figures"))
    print(f"wrote {RESULTS}, {SPEED}, {PICTURE}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    names = list(parts(CONNECT4))
    parser.add_argument("--only", nargs="+", choices=names, metavar="PART", help=", ".join(names))
    parser.add_argument("--report", action="store_true", help="only write the report")
    parser.add_argument("--seconds", type=float, default=0.12, help="CPU seconds per sample (0.12)")
    parser.add_argument(
        "--minutes", type=float, default=9.5, help="start no row later than this (9.5)"
    )
    parser.add_argument(
        "--sets",
        type=Path,
        default=CONNECT4,
        help="folder of the published positions (default: connect4 in $TTT_TEST_DATA)",
    )
    asked = parser.parse_args()
    found: dict[str, Any] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    pin()
    end = time.monotonic() + 60 * asked.minutes
    for name, part in parts(asked.sets).items():
        if asked.report or name not in (asked.only or names):
            continue
        began, load = time.monotonic(), os.getloadavg()[0]
        bench = Bench(asked.seconds, (end - began) / 60)
        part(bench)
        found[name] = bench.as_dict() | {
            "date": time.strftime("%Y-%m-%d"),
            "machine": machine(),
            "load": load,
            "seconds": time.monotonic() - began,
        }
        print(f"-- {name}: {found[name]['seconds']:.0f} s", flush=True)
        KEPT.parent.mkdir(exist_ok=True)
        KEPT.write_text(json.dumps(found))
    write({name: found[name] for name in names if name in found})


if __name__ == "__main__":
    main()
