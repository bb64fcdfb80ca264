"""What each technique of the search buys: nodes and time to the same depths without it.

    python bench/ablation.py [--copies FOLDER] [NAME ...]
    python bench/ablation.py --connect4      of the Connect Four solver: nodes for the empty board

Each technique is taken out of a copy of the sources by a change of a few words and the copy is
built; then `ttt bench` is run in all copies in turn, several times. A change that no longer fits
the sources is an error. With --copies what is built stays there and is not built again.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).parent.parent
ROUNDS = 5
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


C4 = "src/ttt_core/solvers/connect4_search.pxi"
C4_NODES = 150_000_000
"""Nodes after which a run without a technique is given up."""
C4_CHANGES = {
    "nothing": (C4, "", ""),
    "both static bounds": (C4, "if worker.plans:", "if False:"),
    "even squares": (C4, "        return claims_even", "        return False and claims_even"),
    "odd threats": (C4, "    return keeps_odd(", "    return False and keeps_odd("),
    "bounds of all children at once": (
        C4,
        "        if node.ply != entered.ply and plan_holds(shape, &node, alpha):\n"
        "            return sign * min(alpha, -1 if node.ply & 1 else 0)\n"
        "        if lanes_beat(shape, &node, &lanes, alpha):",
        "        if plan_holds(shape, &node, alpha):\n"
        "            return sign * min(alpha, -1 if node.ply & 1 else 0)\n"
        "        if False and lanes_beat(shape, &node, &lanes, alpha):",
    ),
    "owned wins shut what is above them": (
        "src/ttt_core/solvers/connect4_bounds.pxd",
        "upward(shape, threat | (wins & owned))",
        "upward(shape, threat)",
    ),
    "a win five plies on at best once no child wins": (C4, "    best -= 1\n", ""),
    "looking children up": (
        C4,
        "    if shape.cells - node.ply > PROBED_PLIES:",
        "    if False and shape.cells - node.ply > PROBED_PLIES:",
    ),
    "looking up behind forced replies": (
        C4,
        "        reply = 0 if reply & (reply - 1) else reply\n",
        "        reply = 0\n",
    ),
    "mirror images as one": (
        C4,
        "    return min(key, mirrored(shape, key, stride(shape)))",
        "    return key",
    ),
    "rate: threats just above": (C4, "(36 * <int64_t>", "(0 * <int64_t>"),
    "rate: replies left": (C4, "- worker.mobility * <int64_t>", "- 0 * <int64_t>"),
    "rate: not beneath own wins": (C4, "rate -= 40 if", "rate -= 0 if"),
    "killer": (C4, "        rate += 6 if move & killer else 0\n", ""),
}


def measure_connect4(folder: Path) -> dict[str, dict[str, float]]:
    """Nodes and seconds of the solver in a copy."""
    command = ["solve", "connect4", "--hash", "16", "--nodes", str(C4_NODES), "--json"]
    return {"empty board": json.loads(run_there(command, folder))}


def measure(folder: Path) -> dict[str, dict[str, float]]:
    """Nodes and seconds of each game in a copy."""
    found = json.loads(run_there(["bench", "--json"], folder))["games"]
    return {entry["game"]: entry for entry in found}


def build_without(change: tuple[str, str, str], name: str, folder: Path, solvers: bool) -> None:
    """Builds a copy of the sources with a change, with or without the solvers."""
    file, old, new = change
    folder.mkdir(parents=True)
    for part in ("src", "python", "setup.py", "pyproject.toml", "README.md", "LICENSE"):
        source, target = PROJECT / part, folder / part
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
        else:
            shutil.copy(source, target)
    if not solvers:
        for module in (folder / "src/ttt_core/solvers").glob("*.pyx"):
            module.unlink()
    text = (folder / file).read_text()
    if old not in text:
        sys.exit(f"{name}: {old!r} is not in {file}")
    (folder / file).write_text(text.replace(old, new))
    build = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    subprocess.run(build, cwd=folder, check=True, capture_output=True)


def run_there(arguments: list[str], folder: Path) -> str:
    """The output of `ttt` in a copy."""
    paths = f"{folder / 'src'}{os.pathsep}{folder / 'python'}"
    done = subprocess.run(
        [sys.executable, "-S", "-m", "ttt", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )
    return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--connect4", action="store_true")
    parser.add_argument("--copies", type=Path)
    arguments = parser.parse_args()
    changes = C4_CHANGES if arguments.connect4 else CHANGES
    measured, rounds = (measure_connect4, 1) if arguments.connect4 else (measure, ROUNDS)
    names = list(dict.fromkeys(["nothing", *(arguments.names or changes)]))
    best: dict[str, dict[str, dict[str, float]]] = {name: {} for name in names}
    with tempfile.TemporaryDirectory() as temporary:
        copies = arguments.copies or Path(temporary)
        for name in names:
            if not (copies / name).exists():
                build_without(changes[name], name, copies / name, solvers=arguments.connect4)
        for _ in range(rounds):
            for name in names:
                for game, entry in measured(copies / name).items():
                    known = best[name].setdefault(game, entry)
                    known["seconds"] = min(known["seconds"], entry["seconds"])
    whole = best["nothing"]
    print("| without |", " | ".join(whole), "|")
    print("|---|", "---|" * len(whole), sep="")
    for name in names:
        cells = [
            f"{entry['nodes'] / whole[game]['nodes']:.2f} / "
            f"{entry['seconds'] / whole[game]['seconds']:.2f}"
            for game, entry in best[name].items()
        ]
        print(f"| {name} |", " | ".join(cells), "|")


if __name__ == "__main__":
    main()
