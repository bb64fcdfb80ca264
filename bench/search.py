"""The search: minimax against hand-written C, the accuracy of limits, the gain of a second thread.

    python bench/search.py [--threads | --matches GAMES] [--json]

Tree: nine-board after 1 3, eight plies deep; the programs alternate, the best CPU time counts.
Limits: how late a limit of 20 ms and Ctrl-C end a search; the speed of a busy Python thread during
a search, as a share of its speed during a busy process.
Threads: medians over positions of random play, each search with an empty table of 64 MiB. Two
processes that share nothing show the limit of the machine; `by CPU` uses CPU time per thread
instead of wall time, as if two cores were idle. Takes some minutes.
Matches, from random openings of four plies, in the games that the solver does not play: two
threads against one at 50 ms a move, and, for comparison, one thread with twice the nodes of the
other. Needs two free cores and, for 200 games, half an hour.
"""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import chain, islice, product
from pathlib import Path
from random import Random
from statistics import median
from threading import Event, Thread, Timer
from time import perf_counter, process_time, sleep
from typing import Any, NamedTuple

from peers.counting import COMPILE

from ttt import Board, Engine, Move, Result, minimax_search
from ttt.matches.match import play_match

Row = dict[str, Any]  # the columns of a table

DEPTH, EVALUATION, ROUNDS = 8, "two-in-a-row", 7
LIMIT, SEARCHES, INTERRUPTS, BUSY_ROUNDS = 0.02, 60, 100, 5
POSITIONS, HARD_POSITIONS, EASY, TOO_HARD = 3, 20, 0.3, 1.1  # a game; seconds of one thread
MATCHES: dict[str, tuple[Row, Row]] = {  # settings of the two players
    "2 threads": ({"threads": 2, "time": 0.05}, {"threads": 1, "time": 0.05}),
    "2 x nodes": ({"nodes": 200_000}, {"nodes": 100_000}),
}
OPENINGS = "random:4"
BURN = sys.executable, "-c", "from time import *; e = time() + 1\nwhile time() < e: pass"


class Game(NamedTuple):
    name: str
    plies: int  # random moves before a search
    options: tuple[tuple[str, Any], ...] = ()


NINEBOARD = Game("nineboard", 12)
MNK = Game("mnk", 6, (("m", 7), ("n", 7), ("k", 5)))
GAMES = MNK, Game("connect4", 8), NINEBOARD, Game("ultimate", 16), Game("qubic", 10)


def table(rows: list[Row]) -> str:
    """The first row has all the columns."""
    form = {str: "{}", int: "{:,}", float: "{:.2f}"}
    lines = [list(rows[0])]
    for row in rows:
        cells = [row.get(column, "-") for column in rows[0]]
        lines.append([form[type(cell)].format(cell) for cell in cells])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.rjust, line, widths)) for line in lines)


def positions(game: Game) -> Iterator[Board]:
    """A position of seeded random play in which the game is not over."""
    random = Random(1)
    while True:
        board = Board(game.name, **dict(game.options))
        while board.ply < game.plies:
            board.push(random.choice(board.legal_moves))
            if board.is_game_over():
                board.pop()
        yield board


def fresh_engine(game: Game, threads: int = 1) -> Engine:
    engine = Engine(game.name, threads=threads, solver=False, **dict(game.options))
    engine.clear()  # touches its memory before the clock starts
    return engine


def ours(algorithm: str, **settings: Any) -> Row:
    board = Board("nineboard")
    board.push("1 3")
    start = process_time()
    if algorithm == "engine":
        found = Engine("nineboard", 1, evaluation=EVALUATION, **settings).search(board, depth=DEPTH)
    else:
        found = minimax_search(board, algorithm, DEPTH, EVALUATION)
    return found._asdict() | {"value": found.score.evaluation, "seconds": process_time() - start}


def measure_tree(program: Path) -> list[Row]:
    subprocess.run([*COMPILE, "-o", program, Path(__file__).parent / "c/minimax.c"], check=True)
    programs: dict[str, Callable[[], Row]] = {
        "C minimax": lambda: json.loads(subprocess.check_output([program, str(DEPTH)])),
        "minimax": lambda: ours("minimax"),
        "alphabeta": lambda: ours("alphabeta"),
        "engine, selective=False": lambda: ours("engine", selective=False),
        "engine": lambda: ours("engine"),
    }
    rounds = [{name: run() for name, run in programs.items()} for _ in range(ROUNDS)]
    rows: list[Row] = []
    for name, found in rounds[0].items():
        counts = {key: found[key] for key in ("nodes", "terminal", "horizon", "value")}
        best = min(1000 * turn[name]["seconds"] for turn in rounds)
        against = best / rows[0]["best ms"] if rows else 1.0
        rows.append({"program": name, **counts, "best ms": best, "time / C": against})
    if rows[0]["nodes"] != rows[1]["nodes"] or len({row["value"] for row in rows}) > 1:
        raise SystemExit("the programs disagree:\n" + table(rows))
    return rows


def interrupt(engine: Engine, board: Board, delay: float) -> float:
    """Seconds from a SIGINT in the middle of a search to the exception."""
    sent = []

    def send() -> None:
        sent.append(perf_counter())
        signal.raise_signal(signal.SIGINT)

    engine.result = None
    Timer(delay, send).start()
    try:
        engine.search(board, time=5)
    except KeyboardInterrupt:
        caught = perf_counter()
    if not engine.result or not engine.result.move:
        raise SystemExit("an interrupted search lost its best move")
    return caught - sent[0]


def spread(what: str, seconds: list[float]) -> Row:
    ms = [1000 * time for time in sorted(seconds)]
    return {"ms": what, "median": median(ms), "95%": ms[int(0.95 * len(ms))], "max": ms[-1]}


def measure_limits() -> list[Row]:
    board, engine, random = next(positions(NINEBOARD)), fresh_engine(NINEBOARD), Random(2)
    late, slept = [], []
    for _ in range(SEARCHES):
        start = perf_counter()
        engine.search(board, time=LIMIT)
        middle = perf_counter()
        sleep(LIMIT)
        late.append(middle - start - LIMIT)
        slept.append(perf_counter() - middle - LIMIT)
    caught = [interrupt(engine, board, random.uniform(0.02, 0.06)) for _ in range(INTERRUPTS)]
    rows = [spread("20 ms of search, late by", late), spread("20 ms of sleep, late by", slept)]
    return [*rows, spread("Ctrl-C to exception", caught)]


def ticks(work: Callable[[], object]) -> float:
    """Loops per second of a busy Python thread during a search."""
    count, stop = 0, Event()

    def spin() -> None:
        nonlocal count
        while not stop.is_set():
            count += 1

    thread, start = Thread(target=spin), perf_counter()
    thread.start()
    work()
    stop.set()
    thread.join()
    return count / (perf_counter() - start)


def measure_busy() -> list[Row]:
    board, engine = next(positions(NINEBOARD)), fresh_engine(NINEBOARD)
    works = (lambda: engine.search(board, time=1)), (lambda: subprocess.run(BURN))
    kept = [ticks(works[0]) / ticks(works[1]) for _ in range(BUSY_ROUNDS)]
    return [{"ratio": "loops of a busy thread: search / process", "median": median(kept)}]


def clocked(game: Game, text: str, threads: int, **settings: Any) -> tuple[Result, float]:
    """A search from an empty table, and its CPU seconds per thread."""
    engine, start = fresh_engine(game, threads), process_time()
    found = engine.search(Board.parse(text), **settings)
    return found, (process_time() - start) / threads


def speeds(game: Game, pool: ProcessPoolExecutor) -> Iterator[Row]:
    for text in (board.text() for board in positions(game)):
        one, cpu = clocked(game, text, 1, time=1)
        if not one.proven:
            two, half = clocked(game, text, 2, time=1)
            pair = [pool.submit(clocked, game, text, 1, time=1) for _ in range(2)]
            both = sum(process.result()[0].nodes_per_second for process in pair)
            rate, by_cpu = one.nodes_per_second, (two.nodes / half) / (one.nodes / cpu)
            ratios = {"2 threads": two.nodes_per_second / rate, "by CPU": by_cpu}
            yield {"nodes/s": round(rate)} | ratios | {"2 processes": both / rate}


def gains(game: Game) -> Iterator[Row]:
    """Time to a depth with one thread, divided by that with two: the first depth that takes one
    thread EASY seconds. Positions that are proven by then are left out."""
    for text in (board.text() for board in positions(game)):
        reports: list[Result] = []
        clocked(game, text, 1, time=TOO_HARD, on_info=reports.append)
        hard = [found.depth for found in reports if found.seconds > EASY and not found.proven]
        if not hard:
            continue
        one, cpu = clocked(game, text, 1, depth=hard[0])
        two, half = clocked(game, text, 2, depth=hard[0], time=10 * TOO_HARD)
        if not two.proven:
            yield {
                "time 1/2": one.seconds / two.seconds,
                "time 1/2 by CPU": cpu / half,
                "nodes 2/1": two.nodes / one.nodes,
            }


def summary(parts: list[list[Row]]) -> list[Row]:
    named = {game.name: rows for game, rows in zip(GAMES, parts, strict=True)}
    named["all"] = list(chain(*parts))
    found: list[Row] = []
    for name, rows in named.items():
        medians = {key: median(row[key] for row in rows) for key in rows[0]}
        found.append({"game": name, "positions": len(rows)} | medians)
    return found


def measure_threads() -> tuple[list[Row], list[Row]]:
    with ProcessPoolExecutor(2) as pool:
        fast = [list(islice(speeds(game, pool), POSITIONS)) for game in GAMES]
    return summary(fast), summary([list(islice(gains(game), HARD_POSITIONS)) for game in GAMES])


class MatchPlayer:
    """The engine without solver."""

    def __init__(self, game: Game, threads: int = 1, **limit: Any) -> None:
        self.engine, self.limit = fresh_engine(game, threads), limit

    def new_game(self, seed: int) -> None:
        self.engine.clear()

    def choose(self, board: Board) -> Move:
        found = self.engine.search(board, **self.limit).move
        assert found
        return found


def measure_matches(games: int) -> Iterator[Row]:
    for game, (name, settings) in product(GAMES, MATCHES.items()):
        if game.name == "connect4":
            continue
        two, one = (MatchPlayer(game, **each) for each in settings)
        played = play_match(
            game.name, two, one, games, openings=OPENINGS, seed=1, options=dict(game.options)
        )
        standing, rating = played.standings[0], played.rating()
        counts = {"won": standing.won, "drawn": standing.drawn, "lost": standing.lost}
        elo = {"Elo": rating.elo, "from": rating.low, "to": rating.high}
        yield {"game": game.name, "more": name} | counts | {"points": rating.score} | elo


def main() -> None:
    parser = argparse.ArgumentParser(description="Minimax next to C; limits; threads.")
    parser.add_argument("--json", action="store_true", help="one JSON object, no tables")
    parser.add_argument("--threads", action="store_true", help="the gain of a second thread alone")
    parser.add_argument("--matches", type=int, metavar="GAMES", help="two threads against one")
    asked = parser.parse_args()
    if asked.matches:
        rows = list(measure_matches(asked.matches))
        print(json.dumps(rows) if asked.json else table(rows))
        return
    found: dict[str, list[Row]] = {}
    if not asked.threads:
        with tempfile.TemporaryDirectory() as folder:
            found["tree"] = measure_tree(Path(folder) / "minimax")
        found |= {"limits": measure_limits(), "busy": measure_busy()}
    found["speed of threads"], found["time of threads"] = measure_threads()
    print(json.dumps(found) if asked.json else "\n\n".join(map(table, found.values())))


if __name__ == "__main__":
    main()
