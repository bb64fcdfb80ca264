"""Batches: `ttt.batch` against pgx (JAX), which runs in its own environment, `build/pgx`."""

import subprocess
from collections.abc import Callable
from itertools import count
from pathlib import Path

from peers.measure import OURS, Bench, Row, Timing, rate
from peers.report import PGX
from ttt.batch import Batch

WORKER = Path(__file__).with_name("pgx_worker.py")
NAMES = {"tictactoe": "tic_tac_toe", "connect4": "connect_four"}
SIZE, STEPS = 1024, 60


def steps(game: str, size: int, reads: bool) -> Callable[[], None]:
    """Steps all games by random moves and restarts finished ones. With `reads` also reads what
    pgx's step returns: legal moves, marks, winner and side to move."""
    batch, seeds = Batch(game, size), count()

    def run() -> None:
        for _ in range(STEPS):
            batch.step(batch.random_moves(next(seeds)))
            over = batch.over
            if reads:
                _ = batch.legal, batch.marks, batch.winner, batch.turn
            batch.reset(over)

    return run


class Worker:
    """pgx in its own environment: each line of CPU seconds is answered by a line of plies/s."""

    def __init__(self, game: str, size: int) -> None:
        command = [str(PGX), str(WORKER), NAMES[game], str(size), str(STEPS)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True
        )

    def sample(self, seconds: float) -> float:
        assert self.process.stdin
        assert self.process.stdout
        print(seconds, file=self.process.stdin, flush=True)
        return float(self.process.stdout.readline())

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


def measure(bench: Bench) -> None:
    if not bench.peer("numpy", "numpy"):
        return
    with_pgx = PGX.exists() and not subprocess.run([PGX, "-c", "import pgx"]).returncode
    if not with_pgx:
        bench.absent["pgx"] = "build/pgx is not set up"
    counted = f"a ply: a random legal move in one of {SIZE} games; finished games restart"
    for game in ("tictactoe", "connect4", "nineboard", "ultimate", "qubic"):
        units = SIZE * STEPS
        pgx = Worker(game, SIZE) if with_pgx and game in NAMES else None
        for work, reads in (("batch: step", False), ("batch: step and read all", True)):
            timings: dict[str, Timing] = {OURS: rate(steps(game, SIZE, reads), units)}
            note = ""
            if pgx:
                timings["pgx"] = pgx.sample
                note = "pgx's step always computes the observation and the legal moves"
                note = note if not reads else "legal moves, board, winner and side to move"
            bench.measure(Row(work, game, "plies/s", counted, {}, note), timings)
        if pgx:
            pgx.close()
