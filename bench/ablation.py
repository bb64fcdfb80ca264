"""What each technique of the search buys: nodes and time to the same depths without it.

    python bench/ablation.py [NAME ...]

Each technique is taken out of a copy of the sources by a change of a few words, the copy is built,
and `ttt bench` is run there. A change that no longer fits the sources is an error.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).parent.parent
PVS = "src/ttt_core/search/pvs.pxi"
ENGINE = "src/ttt_core/search/engine.pxi"
CHANGES = {
    "nothing": (PVS, "", ""),
    "transposition cut-offs": (
        PVS,
        "if (entry.depth == depth or settled(&entry)",
        "if False and (entry.depth == depth or settled(&entry)",
    ),
    "table's move first": (PVS, "        known = entry.move\n", ""),
    "symmetric positions as one": (PVS, "worker.played + ply <= CANONICAL_PLIES", "False"),
    "history": (PVS, "worker.history[side][move] += depth * depth", "pass"),
    "sides without a line": (
        PVS,
        "if worker.selective or depth >= worker.left - ply:",
        "if False:",
    ),
    "forced replies cost no depth": (PVS, "deeper = max(depth, 0)", "deeper = depth - 1"),
    "reductions": (ENGINE, "set_reduce(worker, reduce and selective)", "set_reduce(worker, False)"),
    "null windows": (
        PVS,
        "score = -pvs(worker, child, deeper - shorter, ply + 1, -alpha - 1, -alpha)",
        "score = -pvs(worker, child, deeper - shorter, ply + 1, -beta, -alpha)",
    ),
    "window around the last score": (
        ENGINE,
        "if depth >= 4 and abs(guess) < DECIDED:",
        "if False:",
    ),
}


def measure(name: str, folder: Path) -> dict[str, dict[str, float]]:
    """Nodes and seconds of each game without a technique."""
    file, old, new = CHANGES[name]
    for part in ("src", "python", "setup.py", "pyproject.toml", "README.md", "LICENSE"):
        source, target = PROJECT / part, folder / part
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
        else:
            shutil.copy(source, target)
    text = (folder / file).read_text()
    if old not in text:
        sys.exit(f"{name}: {old!r} is not in {file}")
    (folder / file).write_text(text.replace(old, new))
    build = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    subprocess.run(build, cwd=folder, check=True, capture_output=True)
    paths = f"{folder / 'src'}{os.pathsep}{folder / 'python'}"
    bench = [sys.executable, "-S", "-m", "ttt", "bench", "--json"]
    done = subprocess.run(
        bench,
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )
    return {entry["game"]: entry for entry in json.loads(done.stdout)["games"]}


def main() -> None:
    names = sys.argv[1:] or list(CHANGES)
    whole: dict[str, dict[str, float]] = {}
    for name in dict.fromkeys(["nothing", *names]):
        with tempfile.TemporaryDirectory() as folder:
            found = measure(name, Path(folder))
        if not whole:
            whole = found
            print("| without |", " | ".join(found), "|")
            print("|---|", "---|" * len(found), sep="")
        cells = [
            f"{entry['nodes'] / whole[game]['nodes']:.2f} / "
            f"{entry['seconds'] / whole[game]['seconds']:.2f}"
            for game, entry in found.items()
        ]
        print(f"| {name} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
