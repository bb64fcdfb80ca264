"""Ctrl-C in every call that may take long: KeyboardInterrupt within 50 ms.

Solvers are imported first, because Python itself may lose a Ctrl-C during an import. If the host of
a virtual machine took the processor away (`steal` in /proc/stat), a late interrupt proves nothing:
it is tried again, and the row says how often.
"""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from hardening import Row
from ttt import Board, Engine, minimax_search
from ttt.batch import Batch
from ttt.engine import make_solver
from ttt.search.mcts import mcts_search, montecarlo_search
from ttt.solvers.base import solved_games
from ttt.solvers.proof import prove_win, verify_strategy
from ttt.solvers.strategy import shipped
from ttt_core.games import nineboard, ultimate

PARTS = ("search", "solve", "count")
ALONE = True
QUICK = 0.03
TIMES = 100
LIMIT = 0.050


def opened(game: str, moves: str = "", **options: Any) -> Board:
    board = Board(game, **options)
    board.push_moves(moves)
    return board


def searches() -> Iterator[tuple[str, Callable[[], object]]]:
    """Searches of the engine and of the textbook algorithms, each with work for minutes."""
    for game in ("connect4", "nineboard", "ultimate", "qubic"):
        for threads in (1, 2):
            engine = Engine(game, hash=8, threads=threads, solver=False)
            yield f"search {game}, {threads}", partial(engine.search, Board(game))
        yield f"minimax {game}", partial(minimax_search, Board(game), "minimax", 20)
        yield f"alphabeta {game}", partial(minimax_search, Board(game), "alphabeta", 40)
    for core, game in ((nineboard, "nineboard"), (ultimate, "ultimate")):
        engine = Engine(game, hash=8)
        work = partial(core.play_games, engine.core, 10**6, 1, 10**9, 1, 0.0, 1)
        yield f"self-play {game}", work
    big = Board("mnk", m=8, n=8, k=5)
    engine = Engine("mnk", hash=8, m=8, n=8, k=5)
    yield "search mnk", partial(engine.search, big)
    for game in ("connect4", "nineboard", "qubic"):
        moves = {"connect4": "4", "nineboard": "55 51 15 52 25 57 78 86 69 96 62", "qubic": "111"}
        with_solver, board = Engine(game, hash=8), opened(game, moves[game])
        yield f"search {game}, solver", partial(with_solver.search, board, time=60)


def solves() -> Iterator[tuple[str, Callable[[], object]]]:
    """Solvers."""
    for threads in (1, 2):
        wide = Engine("connect4", threads=threads, columns=8, rows=7)
        board = Board("connect4", columns=8, rows=7)
        yield f"solve connect4, {threads}", partial(wide.solve, board)
        yield f"solve_moves connect4, {threads}", partial(wide.solve_moves, board)
        yield f"solve_many connect4, {threads}", partial(wide.solve_many, [board] * 9)
        cube = Engine("qubic", threads=threads)
        start = opened("qubic", "112")
        yield f"solve qubic, {threads}", partial(cube.solve, start, no_book=True)
    nine = Engine("nineboard")
    yield "solve nineboard", partial(nine.solve, Board("nineboard"))
    fives = Engine("mnk", m=6, n=6, k=5)
    yield "solve mnk", partial(fives.solve, Board("mnk", m=6, n=6, k=5))
    yield "prove_win", partial(prove_win, opened("qubic", "112 113"))
    book = shipped()
    assert book is not None
    yield "verify_strategy", partial(verify_strategy, book)


def counts() -> Iterator[tuple[str, Callable[[], object]]]:
    """Perft, random games and batches."""
    for game in ("mnk", "connect4", "nineboard", "ultimate", "qubic"):
        board = Board(game, m=8, n=8, k=5) if game == "mnk" else Board(game)
        yield f"perft {game}", partial(board.perft, 30)
        yield f"divide {game}", partial(board.divide, 30)
        yield f"playouts {game}", partial(board.playouts, 10**9)
        yield f"montecarlo {game}", partial(montecarlo_search, board, 10**9)
        yield f"mcts {game}", partial(mcts_search, board, 10**9, hash=8)
        many = Batch(game, 300_000, **board.options)
        chosen = many.random_moves(1)
        yield f"batch.step {game}", partial(again, many.step, chosen)
        yield f"batch.legal {game}", partial(again, getattr, many, "legal")
        yield f"batch.marks {game}", partial(again, getattr, many, "marks")
        batch = Batch.of([board] * 1000)
        yield f"batch.playouts {game}", partial(batch.playouts, 10**6, 1)


def again(work: Callable[..., object], *arguments: Any) -> None:
    """Repeats a call forever; ignores that it may be invalid the second time."""
    while True:
        with suppress(ValueError):
            work(*arguments)


def latency(work: Callable[[], object], delay: float) -> float:
    """Seconds from a signal, sent `delay` seconds after the start, to the KeyboardInterrupt."""
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    due = time.perf_counter() + delay
    try:
        signal.setitimer(signal.ITIMER_REAL, delay)
        work()
        time.sleep(5)
    except KeyboardInterrupt:
        return time.perf_counter() - due
    raise AssertionError("the work ended by itself, or the interrupt was lost")


def stolen() -> int:
    """Clock ticks that the host of a virtual machine took from it; 0 if unknown."""
    with suppress(OSError):
        return int(Path("/proc/stat").read_text(encoding="ascii").split(maxsplit=9)[8])
    return 0


def fair_latency(work: Callable[[], object], delay: float) -> tuple[float, int]:
    """The latency, measured again if the host took the processor away; and how often it was."""
    tried = 0
    while True:
        before = stolen()
        found = latency(work, delay)
        if found <= LIMIT or stolen() == before or tried == 5:
            return found, tried
        tried += 1


def check(part: str, scale: float) -> Iterator[Row]:
    times = max(2, int(TIMES * scale))
    random = Random(part)
    for game in solved_games():
        make_solver(game, hash=8)
    make_solver("connect4", hash=8, columns=8, rows=7)
    for name, work in {"search": searches, "solve": solves, "count": counts}[part]():
        pairs = [fair_latency(work, random.uniform(0.001, 0.015)) for _ in range(times)]
        found, more = [seconds for seconds, _ in pairs], sum(tried for _, tried in pairs)
        worst, usual = max(found), median(found)
        measured = worst if scale >= 1 else usual  # machines of CI pause at random
        yield Row(
            f"Ctrl-C: {name}",
            f"{times} times, median {1000 * usual:.1f} ms, at most {1000 * worst:.1f} ms"
            + f", {more} repeated: the host paused" * bool(more),
            f"{1000 * LIMIT:.0f} ms",
            measured <= LIMIT,
        )
