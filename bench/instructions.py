"""Counts the instructions of perft, random games, search and solve in every game with callgrind.
The counts are exact, so a change of a few per cent shows even on a noisy machine.

    python bench/instructions.py [--renew]

Makes a separate portable build and compares it with the baseline, `bench/instructions.txt`; fails
if a count has grown by more than 2%. `--renew` writes a new baseline: do that in the commit that
changes the counts. Needs valgrind with its header files, and a C compiler.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).parent.parent
BASELINE = PROJECT / "bench/instructions.txt"
GROWTH = 1.02
COUNTER = """
#include <valgrind/callgrind.h>
void zero(void) { CALLGRIND_ZERO_STATS; }
void dump(const char *name) { CALLGRIND_DUMP_STATS_AT(name); }
"""


def inside() -> None:
    """Runs under callgrind: resets the counters, runs a workload, dumps under its name."""
    import ctypes
    import gc

    from workloads import workloads

    counter = ctypes.CDLL(os.environ["TTT_COUNTER"])
    todo = workloads()
    gc.disable()
    for name, work in todo.items():
        counter.zero()
        work()
        counter.dump(name.encode())


def count(folder: Path) -> dict[str, int]:
    """The instructions of every workload."""
    environment = {**os.environ, "TTT_PORTABLE": "v2"}
    build = PROJECT / "build/portable"
    subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--build-lib", str(build)],
        cwd=PROJECT,
        env=environment,
        check=True,
    )
    for part in ("src/ttt_core", "python/ttt"):
        package = PROJECT / part
        for source in (*package.rglob("*.py"), *package.rglob("*.weights")):
            target = build / source.relative_to((PROJECT / part).parent)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
    (folder / "counter.c").write_text(COUNTER)
    library = folder / "counter.so"
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-o", str(library), str(folder / "counter.c")], check=True
    )
    environment |= {
        "PYTHONPATH": str(build),
        "PYTHONHASHSEED": "0",
        "TTT_COUNTER": str(library),
        "TTT_INSIDE": "1",
    }
    counted = [sys.executable, "-S", str(Path(__file__).resolve())]
    callgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", "-q"]
    subprocess.run([*callgrind, *counted], cwd=folder, env=environment, check=True)
    found = {}
    for dump in folder.glob("out.*"):
        text = dump.read_text()
        name = re.search(r"Trigger: Client Request: (.*)", text)
        total = re.search(r"^(?:summary|totals): (\d+)", text, re.MULTILINE)
        if name and total:
            found[name[1]] = int(total[1])
    return found


def read_baseline() -> dict[str, int]:
    if not BASELINE.exists():
        return {}
    lines = [line for line in BASELINE.read_text().splitlines() if line[:1] not in ("", "#")]
    pairs = (line.rsplit(maxsplit=1) for line in lines)
    return {name: int(number.replace(",", "")) for name, number in pairs}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--renew", action="store_true", help="write a new baseline")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = count(Path(folder))
    baseline = read_baseline()
    grown = []
    for name in sorted(found):
        ratio = found[name] / baseline[name] if name in baseline else None
        print(f"{name:<22}{found[name]:>16,}  {f'{ratio:.4f}' if ratio else 'new'}")
        if ratio is None or ratio > GROWTH:
            grown.append(name)
    if arguments.renew:
        head = "# Instructions of each workload; `make bench-baseline` writes this file.\n"
        lines = [f"{name:<22}{found[name]:>16,}\n" for name in sorted(found)]
        BASELINE.write_text(head + "".join(lines))
        return 0
    if grown:
        print(f"grown by more than 2%, or without a baseline: {', '.join(grown)}", file=sys.stderr)
    return 1 if grown else 0


if __name__ == "__main__":
    if os.environ.get("TTT_INSIDE"):
        inside()
    else:
        sys.exit(main())
