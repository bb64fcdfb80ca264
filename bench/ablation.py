"""Ablation: nodes and time without each technique, relative to the full program.

    python bench/ablation.py search [NAME ...]     the engine: `ttt bench`, fixed depths
    python bench/ablation.py connect4 [NAME ...]   the Connect Four solver: the empty board
    python bench/ablation.py qubic [NAME ...]      the Qubic solver: the proof from the empty board

Each technique is disabled in a copy of the sources by replacing a piece of text, and the copy is
built; then the copies are measured in turn, several times. A text that is no longer in the sources
is an error. With --copies FOLDER the builds are kept there and reused.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).parent.parent
PVS = "src/ttt_core/search/pvs.pxi"
DEEPENING = "src/ttt_core/search/deepening.pxi"
ENGINE = "src/ttt_core/bindings/engine.pxi"
CHANGES = {
    "nothing": (PVS, "", ""),
    "transposition cut-offs": (
        PVS,
        "        if decides(worker, &entry, depth, ply, alpha, beta):",
        "        if False and decides(worker, &entry, depth, ply, alpha, beta):",
    ),
    "table move first": (PVS, "        table_move = entry.move\n", ""),
    "symmetric positions as one": (PVS, "worker.played + ply <= CANONICAL_PLIES", "False"),
    "history": (PVS, "worker.history[side][move] += depth * depth", "pass"),
    "bounds of sides without a line": (
        PVS,
        "if worker.selective or depth >= worker.left - ply:",
        "if False:",
    ),
    "extension of forced replies": (PVS, "new_depth = max(depth, 0)", "new_depth = depth - 1"),
    "late-move reductions": (
        ENGINE,
        "set_root(worker, &state, reduce and selective)",
        "set_root(worker, &state, False)",
    ),
    "move order by static evaluation": (
        PVS,
        "if (by_eval and not evaluated and (i or table_move == NO_MOVE)",
        "if (False",
    ),
    "null windows": (
        PVS,
        "score = -pvs(worker, child, new_depth - reduction, ply + 1, -alpha - 1, -alpha)",
        "score = -pvs(worker, child, new_depth - reduction, ply + 1, -beta, -alpha)",
    ),
    "aspiration window": (
        DEEPENING,
        "if depth >= ASPIRATION_DEPTH and abs(guess) < DECIDED:",
        "if False:",
    ),
}


C4 = "src/ttt_core/solvers/connect4/search.pxi"
C4_NODES = 150_000_000
"""Node limit of a run without a technique."""
C4_CHANGES = {
    "nothing": (C4, "", ""),
    "both static bounds": (C4, "if worker.static_bounds:", "if False:"),
    "claimeven": (
        C4,
        "        return claimeven_holds(",
        "        return False and claimeven_holds(",
    ),
    "odd threats": (C4, "    return odd_threat_wins(", "    return False and odd_threat_wins("),
    "static bounds of all children at once": (
        C4,
        "        if node.ply != entered.ply and static_fails_low(layout, &node, alpha):\n"
        "            return sign * min(alpha, -1 if node.ply & 1 else 0)\n"
        "        if static_beats_in_child(layout, &node, &children, alpha):",
        "        if static_fails_low(layout, &node, alpha):\n"
        "            return sign * min(alpha, -1 if node.ply & 1 else 0)\n"
        "        if False and static_beats_in_child(layout, &node, &children, alpha):",
    ),
    "cells above owned wins denied": (
        "src/ttt_core/solvers/connect4/bounds.pxd",
        "upward(layout, threat | (wins & owned))",
        "upward(layout, threat)",
    ),
    "lower best score once no child wins": (C4, "    best -= 1\n", ""),
    "enhanced transposition cut-offs": (
        C4,
        "    if layout.cells - node.ply > UNPROBED_PLIES:",
        "    if False and layout.cells - node.ply > UNPROBED_PLIES:",
    ),
    "probing behind forced replies": (
        C4,
        "        reply = 0 if reply & (reply - 1) else reply\n",
        "        reply = 0\n",
    ),
    "mirror images as one": (
        C4,
        "    return min(key, mirrored(layout, key, stride(layout)))",
        "    return key",
    ),
    "ordering: threats just above": (C4, "(44 * <int64_t>", "(0 * <int64_t>"),
    "ordering: mobility": (C4, "- 13 * <int64_t>", "- 0 * <int64_t>"),
    "ordering: not beneath own wins": (C4, "rating -= 80 if", "rating -= 0 if"),
    "killer moves": (C4, "        rating += 16 if move & killer else 0\n", ""),
}


THREATS = "src/ttt_core/search/threats/qubic_search.pxd"
QUBIC_MOVES = "src/ttt_core/solvers/qubic/moves.pxd"
PROOF = "src/ttt_core/search/dfpn.pxi"
QUBIC = "src/ttt_core/solvers/qubic/solver.pyx"
QUBIC_NODES = 600_000_000
QUBIC_CHANGES = {
    "nothing": (THREATS, "", ""),
    "sleep sets": (THREATS, "0 if crowded or below_twice else tried & ~(gain | reply)", "0"),
    "failed positions": (
        THREATS,
        "    failed.mine = mine.stones\n    failed.theirs = theirs.stones\n",
        "",
    ),
    "failed positions prefetched": (
        THREATS,
        "        prefetch(failed_slot(threats, mine.stones | gain, theirs.stones | reply))\n",
        "",
    ),
    "8 MiB of failed positions, not 64": (
        QUBIC,
        "FAILED_MEBIBYTES = 8\n",
        "FAILED_MEBIBYTES = 64\n",
    ),
    "relevance zones of the attacker's sequences": (
        QUBIC_MOVES,
        "cells &= relevance_zone(threats, attacker, &defender)",
        "cells &= ~(<uint64_t> 1 << cell)",
    ),
    "sums (weak proof numbers)": (
        QUBIC_MOVES,
        "WEAK_PROOF_NUMBERS = 0 ",
        "WEAK_PROOF_NUMBERS = 1 ",
    ),
    "initial numbers by evaluation": (
        QUBIC_MOVES,
        "1 + (64 - value) // 4 if value < 64 else 1",
        "1",
    ),
    "1 + epsilon trick": (PROOF, " + summary.second // INVERSE_EPSILON", ""),
    "cached move lists": (
        QUBIC_MOVES,
        "    if slot.key:\n        memcpy",
        "    if False:\n        memcpy",
    ),
    "symmetric positions as one": (
        "src/ttt_core/solvers/qubic/symmetry.pxd",
        "    for i in range(SYMMETRIES):\n        found = min(",
        "    for i in range(1):\n        found = min(",
    ),
    "attacker's move limits": (
        QUBIC,
        "self.set_move_limits(early, later)",
        "self.set_move_limits(64, 64)",
    ),
}


Columns = dict[str, dict[str, float]]
"""The measurements of a copy: "nodes" and "seconds" of each column."""


def measure_search(folder: Path) -> Columns:
    found = json.loads(run_there(["bench", "--json"], folder))["games"]
    return {entry["game"]: entry for entry in found}


def measure_connect4(folder: Path) -> Columns:
    command = ["solve", "connect4", "--hash", "16", "--nodes", str(C4_NODES), "--json"]
    return {"empty board": json.loads(run_there(command, folder))}


def measure_qubic(folder: Path) -> Columns:
    command = ["solve", "qubic", "--no-book", "--hash", "128", "--nodes", str(QUBIC_NODES)]
    found = json.loads(run_there([*command, "--json"], folder))
    names = ("threat_nodes", "expansions", "positions")
    return {name: {"nodes": found[name], "seconds": found["seconds"]} for name in names}


class Kind(NamedTuple):
    changes: dict[str, tuple[str, str, str]]
    """Technique: (file, text, replacement that disables the technique)."""
    modules: str
    """A glob of the modules to build."""
    measure: Callable[[Path], Columns]
    rounds: int


KINDS = {
    "search": Kind(CHANGES, "games/*.pyx", measure_search, 5),
    "connect4": Kind(C4_CHANGES, "solvers/connect4/*.pyx", measure_connect4, 1),
    "qubic": Kind(QUBIC_CHANGES, "solvers/qubic/*.pyx", measure_qubic, 3),
}


def build_copy(folder: Path, modules: str, edits: list[tuple[str, str, str]]) -> None:
    """Builds a copy of the sources with edits: (file, text, replacement). `modules` is a glob of
    the modules to build; the others are used as built in this tree."""
    folder.mkdir(parents=True)
    for part in ("src", "python", "setup.py", "pyproject.toml", "README.md", "LICENSE"):
        source, target = PROJECT / part, folder / part
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    core = folder / "src/ttt_core"
    built = {*core.glob(modules)}
    for module in {*core.rglob("*.pyx")} - built:
        module.unlink()
    for module in built:
        for library in module.parent.glob(f"{module.stem}.*.so"):
            library.unlink()
    for file, old, new in edits:
        text = (folder / file).read_text()
        if old not in text:
            sys.exit(f"{folder.name}: text {old!r} not found in {file}")
        (folder / file).write_text(text.replace(old, new))
    build = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    subprocess.run(build, cwd=folder, check=True, capture_output=True)


def run_there(arguments: list[str], folder: Path) -> str:
    """Runs `ttt` in a copy and returns its output."""
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
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--copies", type=Path)
    arguments = parser.parse_args()
    kind = KINDS[arguments.kind]
    names = list(dict.fromkeys(["nothing", *(arguments.names or kind.changes)]))
    best: dict[str, Columns] = {name: {} for name in names}
    with tempfile.TemporaryDirectory() as temporary:
        copies = arguments.copies or Path(temporary)
        for name in names:
            if not (copies / name).exists():
                build_copy(copies / name, kind.modules, [kind.changes[name]])
        for _ in range(kind.rounds):
            for name in names:
                for column, entry in kind.measure(copies / name).items():
                    known = best[name].setdefault(column, entry)
                    known["seconds"] = min(known["seconds"], entry["seconds"])
    whole = best["nothing"]
    print("| without |", " | ".join(whole), "|")
    print("|---|", "---|" * len(whole), sep="")
    for name in names:
        cells = [
            f"{entry['nodes'] / whole[column]['nodes']:.2f} / "
            f"{entry['seconds'] / whole[column]['seconds']:.2f}"
            for column, entry in best[name].items()
        ]
        print(f"| {name} |", " | ".join(cells), "|")


if __name__ == "__main__":
    main()
