"""Many engines, a shared engine, boards that change, fork, exit and many signals."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from threading import Event, Thread

import ttt
from hardening import Row
from ttt import Board, Engine
from ttt.search.result import Result

QUICK = 0.2

EXITING = """
import threading, time, sys
from ttt import Board, Engine
engine = Engine({game!r}, hash=1, threads={threads}, solver=False)
threading.Thread(target=engine.search, args=(Board({game!r}),), daemon=True).start()
time.sleep({pause})
"""


def many_engines(times: int) -> str:
    """Engines that run at the same time find the same results as alone."""

    def find(game: str) -> tuple[str, int]:
        result = Engine(game, hash=1, solver=False).search(Board(game), depth=5)
        return str(result.move), result.nodes

    alone = {game: find(game) for game in ttt.games()}
    work = list(ttt.games()) * times
    with ThreadPoolExecutor(32) as pool:
        for game, found in zip(work, pool.map(find, work), strict=True):
            assert found == alone[game]
    return f"{len(work)} in 32 threads, each the same as alone"


def shared_engine(times: int) -> str:
    """Threads that search, clear, resize, evaluate and stop the same engine."""
    engine = Engine("connect4", hash=1, threads=2, solver=False)
    board, over = Board("connect4"), Event()
    actions: list[Callable[[], object]] = [
        lambda: engine.search(board, depth=4),
        lambda: engine.search(board, nodes=500),
        engine.clear,
        lambda: engine.resize(2),
        lambda: engine.evaluate(board),
        engine.core.fill,
        engine.stop,
    ]
    calls = [0]

    def act(which: int) -> None:
        while not over.is_set():
            actions[which]()
            calls[0] += 1
            time.sleep(0)

    threads = [Thread(target=act, args=(i,)) for i in range(len(actions))]
    for thread in threads:
        thread.start()
    time.sleep(0.5 * times)
    over.set()
    for thread in threads:
        thread.join()
    assert engine.search(board, depth=3).depth == 3
    return f"{calls[0]:,} calls from {len(threads)} threads"


def changing_board(times: int) -> str:
    """A search works on a snapshot: it does not notice that the board changes."""
    engine = Engine("nineboard", hash=1, solver=False)
    board, over, moved = Board("nineboard"), Event(), [0]
    first = board.copy()
    second = board.copy()
    second.push("5 5")
    expected = set()
    for start in (first, second):
        engine.clear()
        expected.add((found := engine.search(start, depth=4)).move)
        assert found.move in start.legal_moves

    def keep_moving() -> None:
        while not over.is_set():
            board.push("5 5")
            board.pop()
            moved[0] += 1

    threads = [Thread(target=keep_moving)]
    threads += [
        Thread(target=engine.search, args=(board,), kwargs={"depth": 3}) for _ in range(3 * times)
    ]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20 * times):
            engine.clear()
            result = engine.search(board, depth=4)
            legal = [start for start in (first, second) if result.move in start.legal_moves]
            assert legal
            Board.parse(legal[0].text()).push_moves(" ".join(result.line))
    finally:
        over.set()
        for thread in threads:
            thread.join()
    return f"{20 * times} searches, {moved[0]:,} moves at the same time"


def calls_from_on_info(times: int) -> str:
    """An engine called from its own `on_info` refuses the call and continues its search."""
    refused = 0
    for game in ("connect4", "qubic"):
        engine = Engine(game, hash=1, solver=False)

        def call_engine(result: Result, engine: Engine = engine) -> None:
            nonlocal refused
            with suppress(RuntimeError):
                engine.search(Board(engine.game), depth=1)
                raise AssertionError("the call was accepted")
            refused += 1

        for _ in range(times):
            assert engine.search(Board(game), depth=3, on_info=call_engine).depth == 3
    return f"{refused} refused"


def fork_after_use(times: int) -> str:
    """A forked child uses its parent's engine, even if another thread was searching with it."""
    engine = Engine("connect4", hash=1, solver=False)
    engine.search(Board("connect4"), depth=6)
    for number in range(2 * times):
        busy = Thread(target=engine.search, args=(Board("connect4"),), kwargs={"nodes": 3_000_000})
        if number % 2:
            busy.start()
            time.sleep(0.01)
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            os._exit(engine.search(Board("connect4"), depth=6).depth != 6)
        assert os.waitpid(child, 0)[1] == 0, "the child failed or hung"
        engine.stop()
        if number % 2:
            busy.join()
    return f"{2 * times} children, half of them forked during a search"


def exit_while_searching(times: int) -> str:
    """The interpreter exits while daemon threads search: no output, status 0."""
    runs = 0
    for game in ("connect4", "qubic", "ultimate"):
        for threads in (1, 3):
            for number in range(times):
                program = EXITING.format(game=game, threads=threads, pause=0.02 * (number + 1))
                done = subprocess.run(
                    [sys.executable, "-c", program], capture_output=True, timeout=30, check=False
                )
                assert (done.returncode, done.stderr) == (0, b""), done
                runs += 1
    return f"{runs} runs"


def many_signals(times: int) -> str:
    """Ctrl-C every half millisecond, also while threads are started and joined."""
    armed, caught = [False], 0

    def ring(*_: object) -> None:
        if armed[0]:
            raise KeyboardInterrupt

    def interrupted(work: Callable[[], object]) -> bool:
        try:
            armed[0] = True
            work()
        except KeyboardInterrupt:
            armed[0] = False
            return True
        armed[0] = False
        return False

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.002, 0.0005)
    for game in ("connect4", "qubic"):
        for solver in (False, True):
            engine = Engine(game, hash=8, threads=4, solver=solver)
            board = Board(game)
            board.push(board.legal_moves[1])
            work = partial(engine.solve if solver else engine.search, board)
            end = time.monotonic() + 0.25 * times
            while time.monotonic() < end:
                caught += interrupted(work)
            assert engine.search(board, depth=2).move in board.legal_moves
    signal.setitimer(signal.ITIMER_REAL, 0)
    return f"{caught} caught"


CHECKS = (
    many_engines,
    shared_engine,
    changing_board,
    calls_from_on_info,
    fork_after_use,
    exit_while_searching,
    many_signals,
)


def check(part: str, scale: float) -> Iterator[Row]:
    times = max(1, int(10 * scale))
    for work in CHECKS:
        name = work.__name__.replace("_", " ")
        try:
            yield Row(f"lifetime: {name}", work(times), "as documented", True)
        except Exception as problem:
            figure = f"{type(problem).__name__}: {problem}"[:200]
            yield Row(f"lifetime: {name}", figure, "as documented", False)
