"""Measures the site: `make bench-site`. Prints the tables "Site" of bench/RESULTS.md.

The start is measured in a new window each time, from navigation; the speed is that of an analysis
of the first position, in native code and in the browser. Use a free machine.
"""

import json
import os
import shutil
import statistics
import sys
from typing import Any

from support.browser import Visit, browser
from support.site import SITE, host
from ttt.web.local import Local
from ttt.web.site.build import LATER, weights
from ttt.web.site.ingredients import pyodide

REPEATS = 5
GAMES = ("connect4", "mnk", "nineboard", "qubic", "ultimate")
IN_WORKER = """async ([game, time]) => {
    const { engine } = await import("./engine.js");
    return engine.call("analyse", { game, time });
}"""


def start_times(chromium: Any, home: str) -> tuple[list[float], list[float], list[float]]:
    """Milliseconds from navigation to the board, to the running engine and to the first value."""
    boards, engines, values = [], [], []
    for _ in range(REPEATS):
        one = Visit(chromium, home)
        page = one.page
        page.goto(f"{home}/?game=ultimate&tab=analyse")
        page.wait_for_selector("#board .figure")
        values.append(page.evaluate("() => performance.now()"))
        page.wait_for_selector("body[data-engine]")
        mark = "(name) => performance.getEntriesByName(name)[0].startTime"
        boards.append(page.evaluate(mark, "board"))
        engines.append(page.evaluate(mark, "engine"))
        one.close()
    return boards, engines, values


BARE = """async (folder) => {
    const began = performance.now();
    const worker = new Worker(URL.createObjectURL(new Blob([`
        import { loadPyodide } from "${folder}/pyodide.mjs";
        await loadPyodide({ indexURL: "${folder}/" });
        postMessage("ready");
    `], { type: "text/javascript" })), { type: "module" });
    await new Promise((resolve) => (worker.onmessage = resolve));
    worker.terminate();
    return performance.now() - began;
}"""


def bare_boots(chromium: Any) -> list[float]:
    """Milliseconds of Pyodide's own start in a worker, as it comes."""
    target = SITE / "bare"
    shutil.copytree(pyodide(), target)
    (target / "empty.html").write_text("<title>bare</title>", encoding="utf-8")
    try:
        with host() as found:
            times = []
            for _ in range(REPEATS):
                one = Visit(chromium, found.home)
                one.page.goto(f"{found.home}/bare/empty.html")
                times.append(one.page.evaluate(BARE, f"{found.home}/bare"))
                one.context.close()
            return times
    finally:
        shutil.rmtree(target)


def row(name: str, *values: object) -> None:
    print("| " + " | ".join([name, *map(str, values)]) + " |", flush=True)


def main() -> None:
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None or not SITE.exists():
        sys.exit("error: needs Chromium and the site: run make bench-site")
    os.environ["TTT_BROWSER"] = program
    row("part", "kB, compressed", "when")
    row("---", "---", "---")
    sizes = weights(SITE)
    for name, size in sizes.items():
        row(name, round(size / 1000), "its game, or never" if name in LATER else "first visit")
    first = sum(size for name, size in sizes.items() if name not in LATER)
    row("first visit, ultimate", round(first / 1000), "goal: 5,000")
    print()
    with browser() as chromium, host() as found, host(isolated=False) as plain:
        row("ms from navigation", "least", "median", "most")
        row("---", "---", "---", "---")
        for name, home in (("headers", found.home), ("service worker", plain.home)):
            for what, times in zip(
                ("board", "engine", "first value"), start_times(chromium, home), strict=True
            ):
                spread = (min(times), statistics.median(times), max(times))
                row(f"{what}, {name}", *(round(ms) for ms in spread))
        times = bare_boots(chromium)
        spread = (min(times), statistics.median(times), max(times))
        row("Pyodide alone, as it comes", *(round(ms) for ms in spread))
        print()
        speeds(chromium, found.home, plain.home)


def speeds(chromium: Any, home: str, plain: str) -> None:
    """Nodes per second of an analysis of the first position, three seconds each."""
    row("M nodes/s, analysis", "native", "shared memory", "slices", "depths")
    row("---", "---", "---", "---", "---")
    one = Visit(chromium, home)
    one.open("?game=ultimate").wait_for_selector("body[data-engine=shared]")
    two = Visit(chromium, plain, service_workers="block")
    two.open("?game=ultimate").wait_for_selector("body[data-engine=sliced]")
    for game in GAMES:
        native = native_analysis(game)
        found = [visit.page.evaluate(IN_WORKER, [game, 3]) for visit in (one, two)]
        both = [record["nodes_per_second"] / 1e6 for record in found]
        depths = [native["depth"], *(record["depth"] for record in found)]
        rate = native["nodes_per_second"] / 1e6
        share = (f"{speed:.2f} ({speed / rate:.2f})" for speed in both)
        row(game, f"{rate:.2f}", *share, ", ".join(map(str, depths)))
    one.close()
    two.close()


def native_analysis(game: str) -> Any:
    sent: list[str] = []
    local = Local(lambda _, kind, text: sent.append(text), lambda: None)
    local.handle(1, "analyse", json.dumps({"game": game, "time": 3}))
    return json.loads(sent[-1])


if __name__ == "__main__":
    main()
