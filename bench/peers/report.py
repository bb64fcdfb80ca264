"""The tables of `make bench`: the marked parts of bench/RESULTS.md and docs/reference/speed.md."""

import os
import platform
import re
import subprocess
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from peers.measure import OURS, Row

PROJECT = Path(__file__).parent.parent.parent
RESULTS = PROJECT / "bench/RESULTS.md"
SPEED = PROJECT / "docs/reference/speed.md"
PGX = PROJECT / "build/pgx/bin/python"
PACKAGES = {
    "OpenSpiel": "open_spiel",
    "BitBully": "bitbully",
    "numba": "numba",
    "easyAI": "easyAI",
    "python-chess": "chess",
}
SUMMARY = {
    # row of docs/reference/speed.md: work of the measured rows, contender
    "perft in one call / OpenSpiel in a Python loop": ("perft, one call", "OpenSpiel"),
    "perft in a Python loop / OpenSpiel": ("perft, a loop", "OpenSpiel"),
    "perft at the core / numba": ("perft, the core", "numba"),
    "perft at the core / C for perft alone": ("perft, the core", "C for perft alone"),
    "perft at the core / C that also updates keys and threats": (
        "perft, the core",
        "C that also updates keys and threats",
    ),
    "random games / OpenSpiel": ("random games", "OpenSpiel"),
    "random games / numba": ("random games", "numba"),
    "alpha-beta / OpenSpiel's in Python": ("alpha-beta, depth", "OpenSpiel"),
    "alpha-beta / easyAI": ("alpha-beta, depth", "easyAI"),
    "alpha-beta at the core / numba": ("alpha-beta, the core", "numba"),
    "MCTS / OpenSpiel": ("MCTS", "OpenSpiel"),
    "exact solving at ply 8 / BitBully": ("solve, ply 8", "BitBully, no book"),
    "steps of a batch / pgx": ("batch: step", "pgx"),
    "steps of a batch, all arrays read / pgx": ("batch: step and read all", "pgx"),
    "push and pop / OpenSpiel": ("call: push and pop", "OpenSpiel"),
    "easy solve after clear / BitBully": ("call: easy solve after clear", "BitBully, no book"),
    "native / portable build: perft": ("portable: perft", "portable"),
    "native / portable build: playouts": ("portable: playouts", "portable"),
    "native / portable build: search": ("portable: search", "portable"),
    "native / portable build: solve": ("portable: solve", "portable"),
}
GAMES = ("tictactoe", "connect4", "nineboard", "ultimate", "qubic")


def machine() -> str:
    """The machine, in a few words."""
    name = platform.processor() or platform.machine()
    cpu = Path("/proc/cpuinfo")
    if cpu.exists():
        model = re.search(r"model name\s*: (.*)", cpu.read_text())
        name = model[1] if model else name
    try:
        found = subprocess.run(["cc", "-dumpfullversion"], capture_output=True, text=True)
        compiler = f"cc {found.stdout.strip()}"
    except OSError:
        compiler = "no C compiler"
    return f"{name}, {os.cpu_count()} cores, Python {platform.python_version()}, {compiler}"


def versions() -> str:
    found = []
    for name, package in PACKAGES.items():
        try:
            found.append(f"{name} {version(package)}")
        except PackageNotFoundError:
            continue
    ask = "from importlib.metadata import version; print(version('pgx'))"
    if PGX.exists():
        pgx = subprocess.run([PGX, "-c", ask], capture_output=True, text=True).stdout.strip()
        found += [f"pgx {pgx}"] if pgx else []
    return ", ".join(found)


def figure(value: float) -> str:
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def ratio_text(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 20 else f"{ratio:.1f}" if ratio >= 2 else f"{ratio:.2f}"


def table(head: Iterable[str], lines: Iterable[Iterable[str]]) -> list[str]:
    head = list(head)
    found = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return found + [f"| {' | '.join(line)} |" for line in lines]


def row_lines(row: Row) -> list[list[str]]:
    """One line per contender, ttt first."""
    found = []
    for who in row.figures:
        ratio = "" if who == OURS else ratio_text(row.ratios()[who])
        cells = figure(row.best(who)), figure(row.median(who)), f"{100 * row.spread(who):.0f}%"
        first = who == OURS
        names = (row.work, row.game, row.unit) if first else ("", "", "")
        found.append([names[0], names[1], who, *cells, names[2], ratio])
    return found


def behind(row: Row) -> list[str]:
    """The contenders that are faster than ttt."""
    return [who for who, ratio in row.ratios().items() if ratio < 1]


def rows_of(parts: dict[str, Any]) -> list[Row]:
    return [Row(**row) for part in parts.values() for row in part["rows"]]


def summary(rows: list[Row]) -> list[str]:
    """The ratios of docs/reference/speed.md: one line per kind of work, one column per game."""
    lines = []
    for name, (work, who) in SUMMARY.items():
        ratios = {
            row.game: ratio_text(row.ratios()[who])
            for row in reversed(rows)
            if row.work.startswith(work) and who in row.figures
        }
        lines.append([name, *(ratios.get(game, "-") for game in GAMES)])
    return table(["ttt's speed / the peer's", *GAMES], lines)


def results_text(parts: dict[str, Any]) -> list[str]:
    rows = rows_of(parts)
    dates = sorted({part["date"] for part in parts.values()})
    machines = sorted({part["machine"] for part in parts.values()})
    absent = {who: why for part in parts.values() for who, why in part["absent"].items()}
    late = [what for part in parts.values() for what in part["left out"]]
    loads = [part["load"] for part in parts.values()]
    minutes = sum(part["seconds"] for part in parts.values()) / 60
    lines = [
        f"`make bench`, {' to '.join(dates)}, one core of: {'; '.join(machines)}. {versions()}.",
        f"{minutes:.1f} minutes; the load average was {min(loads):.1f} to {max(loads):.1f} when a "
        "part began. The contenders of a row alternate, measured in CPU time; best and median of "
        "the rounds; the spread is the widest distance between two rounds, divided by the median. "
        "The last column is how many times better ttt is, by the best figures.",
        "",
        "Not installed: "
        + (", ".join(f"{who} ({why})" for who, why in absent.items()) or "none")
        + ". Left out because the time was up: "
        + (", ".join(late) or "none")
        + ".",
        "",
        "![Ratios, ttt against each peer](../docs/images/speed.svg)",
        "",
    ]
    lines += ["### In short", "", *summary(rows), ""]
    lost = [row for row in rows if behind(row) and not row.work.startswith("portable")]
    lines += ["### Rows in which ttt is not first", ""]
    for row in lost:
        names = ", ".join(f"{who} ({ratio_text(row.ratios()[who])})" for who in behind(row))
        lines.append(f"- {row.work}, {row.game}: {names}. {row.note or 'Not explained yet'}.")
    lines += [] if lost else ["None."]
    for name, part in parts.items():
        found = [Row(**row) for row in part["rows"]]
        lines += ["", f"### {name[0].upper()}{name[1:]}", ""]
        for counted in dict.fromkeys(row.counted for row in found):
            group = [row for row in found if row.counted == counted]
            head = ["work", "game", "who", "best", "median", "spread", "unit", "ttt is better by"]
            lines += [f"Counted: {counted}.", ""]
            lines += table(head, (line for row in group for line in row_lines(row)))
            notes = dict.fromkeys(
                f"- {row.work}, {row.game}: {row.note}." for row in group if row.note
            )
            lines += ["", *notes, ""] if notes else [""]
        for extra in part["tables"]:
            lines += [f"{extra['title']}. {extra['note']}", ""]
            lines += [*table(extra["head"], extra["lines"]), ""]
    return lines


def put(path: Path, lines: list[str]) -> None:
    """Writes lines between the markers of a file."""
    begin, end = "<!-- make bench -->", "<!-- end of make bench -->"
    text = path.read_text(encoding="utf-8")
    before, _, rest = text.partition(begin)
    _, marked, after = rest.partition(end)
    if not marked:
        raise SystemExit(f"{path} has no {begin} and {end}")
    body = "\n".join(lines).strip()
    path.write_text(f"{before}{begin}\n\n{body}\n\n{end}{after}", encoding="utf-8")


def speed_text(parts: dict[str, Any]) -> list[str]:
    dates = sorted({part["date"] for part in parts.values()})
    machines = sorted({part["machine"] for part in parts.values()})
    return [
        f"Measured by `make bench` on {' to '.join(dates)}, one core of: {'; '.join(machines)}; "
        "[bench/RESULTS.md](../../bench/RESULTS.md) has the figures, what is counted, and the rows "
        "in which ttt is not first.",
        "",
        *summary(rows_of(parts)),
    ]
