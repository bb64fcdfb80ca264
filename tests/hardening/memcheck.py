"""The core under valgrind's memcheck: no invalid access, no use of what was never written, no leak.

Errors count wherever they happen; leaks if a frame of ours allocated the block, as the interpreter
keeps much to its end.
"""

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from hardening import Row
from hardening.portable import PLACE, build_wheel
from hardening.sanitizers import PROJECT

QUICK = None
COMMAND = (
    "valgrind", "--tool=memcheck", "--leak-check=full", "--show-leak-kinds=definite",
    "--errors-for-leak-kinds=none", "--error-exitcode=9", "--num-callers=30", "--trace-children=no",
)  # fmt: skip


def work(games: int) -> None:
    """A little of everything: what runs under valgrind."""
    from contract import GAMES, pop_restores, symmetry_holds, text_round_trips

    from ttt import Board, Engine, plain_search
    from ttt.batch import Batch
    from ttt.montecarlo import montecarlo_search, tree_search
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
            plain_search(board, "alphabeta", 2, evaluation, nodes=200)
            engine = Engine(name, hash=1, threads=2, evaluation=evaluation, **options)
            engine.search(board, nodes=300)
        montecarlo_search(board, 2)
        tree_search(board, 50, hash=1)
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


def check(part: str, scale: float) -> Iterator[Row]:
    build_wheel()
    began = time.monotonic()
    done = subprocess.run(
        [*COMMAND, sys.executable, __file__, str(max(1, int(100 * scale)))],
        env={"PATH": "/usr/bin:/bin", "PYTHONMALLOC": "malloc",
             "PYTHONPATH": f"{PLACE}:{PROJECT / 'tests'}"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    print(done.stdout, done.stderr, file=sys.stderr)
    errors = re.findall(r"ERROR SUMMARY: (\d+) errors", done.stderr)
    blocks = re.split(r"\n==\d+== \n", done.stderr)
    leaks = [block for block in blocks if "definitely lost in loss record" in block
             and "ttt_core" in block]  # fmt: skip
    figure = (
        f"{''.join(errors) or 'no'} errors, {len(leaks)} leaks, {time.monotonic() - began:.0f} s"
    )
    good = done.returncode == 0 and errors == ["0"] and not leaks
    yield Row("valgrind: the core's work", figure, "0 errors, 0 leaks of ours", good)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    work(int(sys.argv[1]))
