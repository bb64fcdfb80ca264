"""Measures the web page on the loopback interface; `make bench-web` runs it and installs a browser.
Prints the table "Web page" of bench/RESULTS.md.

The server is a process of its own. Times are medians; the first of each kind is left out, because
it includes loading modules and weights, and is given as "first".
"""

import gzip
import json
import re
import shutil
import statistics
import subprocess
import sys
import time
from http.client import HTTPConnection

from ttt.registry import games
from ttt.web.files import page_files

REPEATS = 9
HEADERS = {"content-type": "application/json"}


def first_event(port: int, game: str) -> float:
    """Milliseconds from the request to the first values of an analysis."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    began = time.perf_counter()
    body = json.dumps({"game": game, "time": 1})
    connection.request("POST", "/api/analyse", body, HEADERS)
    connection.getresponse().readline()
    spent = 1000 * (time.perf_counter() - began)
    connection.close()
    time.sleep(0.1)
    return spent


def reply(port: int, game: str, player: str) -> float:
    """Milliseconds of a player's first move."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    began = time.perf_counter()
    connection.request("POST", "/api/move", json.dumps({"game": game, "player": player}), HEADERS)
    connection.getresponse().read()
    connection.close()
    return 1000 * (time.perf_counter() - began)


def first_boards(port: int) -> list[float]:
    """Milliseconds from the request of the page to the first board, each in a fresh window."""
    import os

    from support.browser import browser

    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        return []
    os.environ["TTT_BROWSER"] = program
    found = []
    with browser() as chromium:
        for _ in range(REPEATS + 1):
            context = chromium.new_context()
            page = context.new_page()
            page.goto(f"http://127.0.0.1:{port}/?game=ultimate")
            page.wait_for_selector("#board[data-ready]")
            script = "() => performance.getEntriesByName('board')[0].startTime"
            found.append(float(page.evaluate(script)))
            context.close()
    return found


def row(name: str, times: list[float], goal: float) -> str:
    first, rest = times[0], times[1:]
    return f"| {name} | {goal:g} | {first:.0f} | {statistics.median(rest):.0f} | {max(rest):.0f} |"


def main() -> None:
    command = [sys.executable, "-m", "ttt", "web", "--port", "0"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    match = re.search(r":(\d+)/", server.stderr.readline())
    assert match
    port = int(match[1])
    repeats = range(REPEATS + 1)
    try:
        print("| ms | goal | first | median | most |\n|---|---|---|---|---|")
        boards = first_boards(port)
        if boards:
            print(row("first board after the request", boards, 300))
        for game in games():
            times = [first_event(port, game) for _ in repeats]
            print(row(f"first analysis values, {game}", times, 100))
        for game in games():
            print(
                row(f"level-3 reply, {game}", [reply(port, game, "level-3") for _ in repeats], 150)
            )
    finally:
        server.terminate()
        server.wait()
    bodies = [file.body for file in page_files().values()]
    packed = sum(len(gzip.compress(body, 9, mtime=0)) for body in bodies)
    print(
        f"\nPage: {len(bodies)} files, {sum(map(len, bodies)) / 1000:.1f} kB,"
        f" {packed / 1000:.1f} kB as sent (gzip); the goal is 120 kB."
    )


if __name__ == "__main__":
    main()
