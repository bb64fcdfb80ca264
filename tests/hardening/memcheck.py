"""The core under valgrind's memcheck: no invalid access, no uninitialised read, no leak.

An error or a leak counts if a frame of ours is in its stack or in that of the allocation. The
interpreter and the dynamic loader have errors too: CPython 3.11 reads the first digit of an int
that has none.
"""

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from hardening import Row
from hardening.portable import PLACE, build_wheel
from hardening.sanitizers import PROJECT

QUICK = None
COMMAND = (
    "valgrind", "--tool=memcheck", "--leak-check=full", "--show-leak-kinds=definite",
    "--errors-for-leak-kinds=none", "--num-callers=30", "--track-origins=yes", "--error-limit=no",
    "--trace-children=no", sys.executable,
)  # fmt: skip
FAULTS = """
#include <stdlib.h>
int past_the_end(void) { char *p = malloc(8); int got = p[8]; free(p); return got; }
int unwritten(void) { int *p = malloc(8), got = *p ? 2 : 3; free(p); return got; }
int lost(void) { return malloc(1000) != 0; }
"""


def work(games: int) -> None:
    """What runs under valgrind: a little of everything."""
    from support.contract import GAMES, pop_restores, symmetry_holds, text_round_trips
    from ttt import Board, Engine, minimax_search
    from ttt.batch import Batch
    from ttt.search.mcts import mcts_search, montecarlo_search
    from ttt.solvers.connect4 import Connect4Solver
    from ttt.solvers.nineboard import NineboardSolver
    from ttt.solvers.qubic import QubicSolver

    for name, options in GAMES[:games]:
        board = Board(name, **options).playout(1)
        pop_restores(board.copy())
        for _ in range(len(board.moves) // 2 + 1):
            board.pop()
        text_round_trips(board)
        symmetry_holds(board, 1)
        assert board.perft(2) == sum(board.divide(2).values())
        for evaluation in board.engine_type.evaluations:
            minimax_search(board, "alphabeta", 2, evaluation, nodes=200)
            engine = Engine(name, hash=1, threads=2, evaluation=evaluation, **options)
            engine.search(board, nodes=300)
        montecarlo_search(board, 2)
        mcts_search(board, 50, hash=1)
        Batch.of([board] * 3).playouts(2, 1)
        print(name, options, flush=True)
    four, cube, nine = Board("connect4"), Board("qubic"), Board("nineboard")
    four.push_moves("444555")
    cube.push_moves("111 222 112")
    nine.push_moves("55 51 15 52")
    Connect4Solver(hash=1, threads=2).solve(four, nodes=3_000)
    Connect4Solver(hash=1, columns=9, rows=6).solve(
        Board("connect4", columns=9, rows=6), nodes=3_000
    )
    QubicSolver(hash=8, threads=2).solve(cube, nodes=2_000)
    NineboardSolver(hash=1).solve(nine, nodes=2_000)


def under_valgrind(*arguments: str, path: str = "") -> tuple[int, list[str], list[str]]:
    """Runs Python under valgrind: its status, the errors and the leaks in our code."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        env={"PATH": "/usr/bin:/bin", "PYTHONMALLOC": "malloc", "PYTHONPATH": path,
             "PYTHONDONTWRITEBYTECODE": "1"},  # the wheel is built from the same folder
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    print(done.stdout, done.stderr, file=sys.stderr)
    blocks = re.split(r"\n==\d+== \n", done.stderr)
    ours = [block for block in blocks if " at 0x" in block and "ttt_core" in block]
    leaks = [block for block in ours if "in loss record" in block]
    return done.returncode, [block for block in ours if block not in leaks], leaks


def planted_faults() -> tuple[int, int]:
    """Number of errors and leaks found in a library with two errors and one leak."""
    with TemporaryDirectory() as folder:
        source, target = Path(folder, "faults.c"), Path(folder, "ttt_core.so")
        source.write_text(FAULTS)
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", target, source], check=True)
        program = f"import ctypes; its = ctypes.CDLL('{target}')\n"
        program += "its.past_the_end(), its.unwritten(), its.lost()"
        _, errors, leaks = under_valgrind("-c", program)
        return len(errors), len(leaks)


def check(part: str, scale: float) -> Iterator[Row]:
    seen = planted_faults()
    figure = "{} errors, {} leaks".format(*seen)
    yield Row("planted faults, valgrind", figure, "2 errors, 1 leak", seen == (2, 1))
    build_wheel()
    began = time.monotonic()
    games = str(max(1, int(100 * scale)))
    status, errors, leaks = under_valgrind(__file__, games, path=f"{PLACE}:{PROJECT / 'tests'}")
    spent = time.monotonic() - began
    figure = f"status {status}, {len(errors)} errors, {len(leaks)} leaks, {spent:.0f} s"
    good = not (status or errors or leaks)
    yield Row("valgrind: the core", figure, "0 errors, 0 leaks in our code", good)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    work(int(sys.argv[1]))
