"""`make bench`: ours beside what people use today; writes the tables and the picture.

    python bench/compare.py                     all parts: at most ten minutes, on one core
    python bench/compare.py --only MCTS calls   some parts; the others keep what they showed last
    python bench/compare.py --report            write the report from what was measured last

Figures are kept in build/bench.json; the report goes into the marked parts of bench/RESULTS.md and
README.md and into bench/results.svg. Every peer is optional: the report names the absent ones.
"""

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from peers import batches, calls, counting, searching, solving, starting
from peers.measure import Bench, Row, pin
from peers.picture import draw
from peers.report import README, RESULTS, machine, put, readme_text, results_text

PROJECT = Path(__file__).parent.parent
KEPT = PROJECT / "build/bench.json"
PICTURE = PROJECT / "bench/results.svg"
SETS = PROJECT.parent / "shared/oracles/connect4"


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
        "start-up and memory": starting.measure,
        "growth": searching.measure_growth,
    }


def write(found: dict[str, Any]) -> None:
    put(RESULTS, results_text(found))
    put(README, readme_text(found))
    rows = {name: [Row(**row) for row in part["rows"]] for name, part in found.items()}
    dates = " to ".join(sorted({part["date"] for part in found.values()}))
    PICTURE.write_text(draw(rows, f"make bench, {dates}; bench/RESULTS.md has the figures"))
    print(f"wrote {RESULTS}, {README}, {PICTURE}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    names = list(parts(SETS))
    parser.add_argument("--only", nargs="+", choices=names, metavar="PART", help=", ".join(names))
    parser.add_argument("--report", action="store_true", help="measure nothing")
    parser.add_argument("--seconds", type=float, default=0.12, help="CPU seconds a turn (0.12)")
    parser.add_argument("--minutes", type=float, default=9.5, help="start no row after so many")
    parser.add_argument("--sets", type=Path, default=SETS, help="folder of the published positions")
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
