"""Out of memory: every k-th allocation fails, the address space is limited, tables are too large.

The shim `failing.c` is preloaded; PYTHONMALLOC=malloc sends it the interpreter's allocations too.
It is armed for one call at a time, in the calling thread. For k = 1 to 200 the call must raise
MemoryError or succeed; afterwards the object must work as before, and at the end no memory may be
lost. Imports and warm-up come first, because they would test only Python.
"""

import ctypes
import gc
import os
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ttt
from hardening import Row
from hardening.soak import resident
from ttt import Board, Engine, minimax_search
from ttt.batch import Batch
from ttt.search.mcts import Samples, mcts_search, montecarlo_search
from ttt.solvers.checkpoint import Checkpoint
from ttt.solvers.connect4 import Connect4Solver
from ttt.solvers.nineboard import NineboardSolver
from ttt.solvers.qubic import QubicSolver
from ttt_core.system import available_bytes

PARTS = ("failing", "limits")
QUICK = 0.1
LARGEST = 200
LEAK = 64 << 10
TIMEOUT = 300.0
"""Seconds for all calls: ten times what they take."""
Work = Callable[[], Any]


def play(board: Board, moves: str) -> str:
    fresh = board.root()
    fresh.push_moves(moves)
    return Board.parse(fresh.copy().text()).text()


def search(engine: Engine, board: Board) -> Any:
    engine.clear()
    return engine.search(board, depth=3)[:5]


def resize(engine: Engine) -> int:
    engine.resize(2)
    engine.resize(1)
    return engine.core.hash


def make_engine(game: str) -> int:
    return Engine(game, hash=1, solver=False).core.hash


def sampled(sampler: Callable[..., Samples], *arguments: Any, **settings: Any) -> Any:
    return sampler(*arguments, **settings)[:3]


def textbook(board: Board) -> Any:
    return minimax_search(board, "alphabeta", 2)[:5]


def batched(board: Board) -> float:
    return float(Batch.of([board] * 9).playouts(2, 1).sum())


def counted(board: Board) -> Any:
    return board.perft(2), board.divide(2), board.playouts(9, 1)


def works(folder: str) -> Iterator[tuple[str, Work]]:
    """Calls, most of them on objects that are used again; each always returns the same."""
    for game in ttt.games():
        board = Board(game)
        board.push(board.legal_moves[0])
        moves = " ".join(Board(game).playout(1).moves[:6])
        engine = Engine(game, hash=1, solver=False)

        yield f"board {game}", partial(play, board, moves)
        yield f"search {game}", partial(search, engine, board)
        yield f"resize {game}", partial(resize, engine)
        yield f"textbook {game}", partial(textbook, board)
        yield f"engine {game}", partial(make_engine, game)
        yield f"flat {game}", partial(sampled, montecarlo_search, board, 4, seed=1)
        yield f"tree {game}", partial(sampled, mcts_search, board, 50, seed=1, hash=1)
        yield f"batch {game}", partial(batched, board)
        yield f"count {game}", partial(counted, board)
    four, cube, nine = Board("connect4"), Board("qubic"), Board("nineboard")
    four.push_moves("4416623323337347574")
    cube.push_moves("111 222")
    nine.push_moves("55 51 15 52")
    fours = Connect4Solver(hash=1, threads=2)
    cubes, nines = QubicSolver(hash=8), NineboardSolver(hash=1)
    path = os.path.join(folder, "proof")
    yield "solver connect4", lambda: Connect4Solver(hash=1).core.hash
    yield "solve connect4", lambda: fours.solve(four, nodes=2_000).value
    yield "solve_many connect4", lambda: len(fours.solve_many([four] * 3, nodes=500))
    yield "solver qubic", lambda: QubicSolver(hash=8) is not None
    yield "solve qubic", lambda: cubes.solve(cube).value
    yield "solver nineboard", lambda: NineboardSolver(hash=1).core.hash
    yield "solve nineboard", lambda: nines.solve(nine, nodes=500).value

    def keep() -> int:
        file = Checkpoint(path, nine.text())
        try:
            file.load(nines.core)
            file.write(nines.core, 1, 0.0, True)
            return int(file.nodes > 0)
        finally:
            file.close()

    yield "checkpoint", keep


NO_EXCEPTION = re.compile("error return without exception set|<function .* returned NULL .*")


def is_cpython_bug(problem: BaseException) -> bool:
    """Whether CPython failed to raise MemoryError: 3.11 does so when it cannot allocate the frame
    of a Python function."""
    frame = problem.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    in_python = frame is not None and frame.tb_frame.f_code.co_filename.endswith(".py")
    silent = NO_EXCEPTION.fullmatch(str(problem)) is not None
    return type(problem) is SystemError and silent and in_python


def call_failing(shim: ctypes.CDLL, work: Work, k: int) -> str:
    """The outcome of a call if every k-th allocation fails: "done", "refused" or an error."""
    gc.disable()
    found: Any = "done"
    try:
        shim.ttt_arm(k)
        work()
    except MemoryError:
        found = "refused"
    except BaseException as problem:
        found = problem
    while True:
        try:
            shim.ttt_disarm()
            break
        except MemoryError:
            pass
    gc.enable()
    if isinstance(found, str):
        return found
    return "refused" if is_cpython_bug(found) else f"{type(found).__name__}: {found}"


def inside(largest: int) -> None:
    """In the process with the shim: prints a line of counts and a line for each fault."""
    shim = ctypes.CDLL(None)
    shim.ttt_in_use.restype = ctypes.c_long
    totals = {"done": 0, "refused": 0}
    faults = []
    with TemporaryDirectory() as folder:
        for name, work in works(folder):
            expected = [work() for _ in range(3)][-1]
            for _ in range(3):
                call_failing(shim, work, 7)
            for _ in range(2):
                gc.collect()
                before = shim.ttt_in_use()
                for k in range(1, largest + 1):
                    found = call_failing(shim, work, k)
                    if found in totals:
                        totals[found] += 1
                    else:
                        faults.append(f"{name}, k = {k}: {found}")
                    if work() != expected:
                        faults.append(f"{name}, k = {k}: different result afterwards")
                gc.collect()
                grown = shim.ttt_in_use() - before
            if grown > LEAK:
                faults.append(f"{name}: {grown:,} bytes lost in {largest} calls")
            print(f"{name}: {grown} bytes more", file=sys.stderr, flush=True)
    print(f"{totals['refused']:,} refused, {totals['done']:,} done")
    print("\n".join(faults))


def failing(scale: float) -> Iterator[Row]:
    largest = max(5, int(LARGEST * scale))
    title = f"every k-th allocation fails, k = 1 to {largest}"
    limit = "MemoryError or done, then works, no leak"
    with TemporaryDirectory() as folder:
        shim = Path(folder, "failing.so")
        flags = ["-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
        source = Path(__file__).with_name("failing.c")
        subprocess.run(["gcc", *flags, "-o", shim, source], check=True)
        try:
            done = subprocess.run(
                [sys.executable, __file__, str(largest)],
                env={**os.environ, "LD_PRELOAD": str(shim), "PYTHONMALLOC": "malloc",
                     "PYTHONPATH": str(Path(__file__).parents[1])},
                stdout=subprocess.PIPE,
                text=True,
                timeout=TIMEOUT,
                check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            yield Row(title, f"hung, {TIMEOUT:.0f} s", limit, False)
            return
    lines = done.stdout.splitlines() or [f"status {done.returncode}"]
    faults = [line for line in lines[1:] if line]
    print("\n".join(faults), file=sys.stderr)
    figure = f"{lines[0]}; {len(faults)} faults" + (f": {faults[0][:120]}" if faults else "")
    yield Row(title, figure, limit, done.returncode == 0 and not faults)


SPARE = 2048
"""MiB that other processes may free during the test."""


def limits(scale: float) -> Iterator[Row]:
    """Tables larger than the free memory are refused before memory is touched."""
    before = resident()
    size = available_bytes() // 2**20 + SPARE
    refused = 0
    makers: list[Callable[[int], object]] = [
        lambda size: Engine("connect4", hash=size),
        lambda size: Connect4Solver(hash=size),
        lambda size: QubicSolver(hash=size),
        lambda size: NineboardSolver(hash=size),
        lambda size: mcts_search(Board("qubic"), 10, hash=size),
        lambda size: Engine("qubic", hash=1).resize(size),
    ]
    for make in makers:
        for much in (size, 2 * size, 2**40):
            try:
                make(much)
            except ValueError:
                refused += 1
    grown = (resident() - before) / 2**20
    figure = f"{refused} of {3 * len(makers)} refused, {grown:.1f} MiB touched"
    good = refused == 3 * len(makers) and grown < 10
    yield Row("hash larger than memory", figure, "refused, not touched", good)
    done = subprocess.run(
        [sys.executable, __file__, "address-space"],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    print(done.stderr, file=sys.stderr)
    figure = done.stdout.strip() or f"status {done.returncode}: {done.stderr[-100:]!r}"
    yield Row("RLIMIT_AS", figure, "refused, then works", done.returncode == 0)


def address_space() -> None:
    """With 200 MiB of address space left, what does not fit is refused and the rest works."""
    with open("/proc/self/statm", encoding="ascii") as file:
        used = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    limit = used + (200 << 20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    refused = 0
    kept: list[Any] = []
    for hash in (1024, 512, 256, 64, 64, 64, 64, 64):
        for make in (Connect4Solver, QubicSolver, NineboardSolver, engine_of):
            try:
                kept.append(make(hash=hash))
            except (ValueError, MemoryError):
                refused += 1
    assert refused >= 16, refused
    held = len(kept)
    kept.clear()
    for game in ttt.games():
        assert Engine(game, hash=1, threads=2, solver=False).search(Board(game), depth=3).move
    print(f"{refused} refused, {held} created, then all games searched")


def engine_of(hash: int) -> Engine:
    return Engine("connect4", hash=hash, solver=False)


def check(part: str, scale: float) -> Iterator[Row]:
    yield from failing(scale) if part == "failing" else limits(scale)


if __name__ == "__main__":
    if sys.argv[1] == "address-space":
        address_space()
    else:
        inside(int(sys.argv[1]))
