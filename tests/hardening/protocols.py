"""Protocols: 100,000 mutated lines each; clocks that do not run out; `stop` within 50 ms.

The mutated lines are those of the tests, only more of them. The clocks are kept by a referee in
this process, and the games are played by two processes at a time; 1 s + 10 ms is also played while
other processes keep every processor busy.
"""

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from random import Random
from statistics import median

import test_codingame
import test_kaggle
import test_ugi
import test_unsw

from hardening import Row
from support.dialogues import Answers
from ttt import Board, games
from ttt.matches.match import play_match
from ttt.protocols.ugi import UgiSession

PARTS = ("ugi", "unsw", "codingame", "kaggle", "clock", "stop")
QUICK_PARTS = PARTS[:4]  # clocks need a machine that does nothing else
ALONE = True
QUICK = 0.02
LINES = 100_000
STOPS = 200
LIMIT = 50.0
GAMES = ("connect4", "nineboard", "ultimate", "qubic")
TTT = f"{shlex.quote(sys.executable)} -m ttt"


def mutated(name: str, work: Callable[[int], None], count: int) -> Row:
    """Runs so many mutated lines; a failure is an exception with its own traceback in the log."""
    began = time.monotonic()
    work(count)
    seconds = time.monotonic() - began
    return Row(f"{name}: mutated lines", f"{count:,} in {seconds:.0f} s", "each answered", True)


def ugi_lines(count: int) -> None:
    for game in games():
        test_ugi.check_mutated_lines(game, -(-count // len(games())))


def clock_row(clock: str, count: int, busy: bool) -> Row:
    """Games of two UGI processes with a clock, of each game in turn."""
    late = other = moves = 0
    with ExitStack() as stack:
        if busy:
            for _ in range(2 * (os.cpu_count() or 1)):
                load = subprocess.Popen([sys.executable, "-c", "while True: pass"])
                stack.callback(load.wait)
                stack.callback(load.kill)
        for game in GAMES:
            player = f"program:{TTT} ugi {game},protocol=ugi,clock={clock}"
            played = play_match(
                game, player, player, games=-(-count // len(GAMES)), openings="random:2"
            )
            for entry in played.games:
                late += entry["termination"] == "timeout"
                other += "error" in entry and entry["termination"] != "timeout"
                moves += len(entry["ms"])

    name = f"clock {clock}{', busy machine' if busy else ''}"
    figure = f"{late} late in {moves:,} moves, {other} other errors"
    return Row(name, figure, "0 late, 0 errors", late == other == 0)


def stop_row(game: str, threads: int, count: int) -> Row:
    """The time from `stop` to the best move."""
    answers = Answers()
    session = UgiSession(game, {}, answers, hash_limit=16)
    session.handle(f"setoption name Threads value {threads}")
    session.handle("isready")
    random, times = Random(game), list[float]()
    for number in range(count):
        board = Board(game).playout(number)
        moves = [move.replace(" ", "") for move in board.moves]
        session.handle(f"position startpos moves {' '.join(moves[: len(moves) // 2])}")
        answers.take()
        session.handle(random.choice(["go infinite", "go movetime 60000", "go nodes 100000000"]))
        time.sleep(random.uniform(0, 0.05))
        began = time.perf_counter()
        session.handle("stop")
        answers.until("bestmove")
        times.append(1000 * (time.perf_counter() - began))
    figure = f"{max(times):.1f} ms, median {median(times):.1f}"
    return Row(f"stop {game}, {threads}", figure, f"{LIMIT:g} ms", max(times) < LIMIT)


def check(part: str, scale: float) -> Iterator[Row]:
    count = max(1, int(scale * LINES))
    if part == "ugi":
        yield mutated("ugi", ugi_lines, count)
    elif part == "unsw":
        yield mutated("unsw", test_unsw.check_mutated_messages, count)
    elif part == "codingame":
        yield mutated("codingame", test_codingame.check_mutated_lines, count)
    elif part == "kaggle":
        yield mutated("kaggle", test_kaggle.check_mutated_observations, count)
    elif part == "clock":
        yield clock_row("0.05+0.005", max(4, int(scale * 200)), busy=False)
        yield clock_row("1+0.01", max(4, int(scale * 200)), busy=True)
    else:
        for game in GAMES:
            for threads in (1, 2):
                yield stop_row(game, threads, max(5, int(scale * STOPS)))
