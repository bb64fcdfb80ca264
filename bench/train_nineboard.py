"""Learns the evaluation of nine-board from positions that the solver has decided.

Two generations: positions decided without any evaluation teach the first, whose search decides the
positions that teach the second. The same seed gives the same weights, up to how the machine rounds.
Writes src/ttt_core/evaluations/nineboard_weights.pxd; `make build` then takes it in.
"""

import argparse
import struct
import time
import zlib
from pathlib import Path

from ttt_core.solvers.nineboard import Solver, Trainer

TARGET = Path(__file__).parents[1] / "src/ttt_core/evaluations/nineboard_weights.pxd"
VERSION = 1
HEAD = '''"""Weights of the learned evaluation of nine-board, made by `make train-nineboard`.

version {version}, seed {seed}, {positions} positions; the check is the CRC-32 of the weights as
little-endian 16-bit numbers, row by row.
"""

from libc.stdint cimport int16_t, uint32_t

cdef extern from *:
    """
    #include <stdint.h>
    enum {{ TTT_NINEBOARD_VERSION = {version} }};
    static const uint32_t ttt_nineboard_check = {check}u;
    static const int16_t ttt_nineboard_weights[{rows}][{lanes}] = {{
'''
TAIL = '''    };
    """
    const int WEIGHTS_VERSION "TTT_NINEBOARD_VERSION"
    const uint32_t WEIGHTS_CHECK "ttt_nineboard_check"
    const int16_t LEARNED "ttt_nineboard_weights"[][LANES]
'''


def gather(trainer: Trainer, solver: Solver, positions: int, rarity: int, first: int) -> None:
    """Decides random positions of 16 to 29 plies until enough samples are there."""
    began, game = time.process_time(), first
    while trainer.positions < positions:
        trainer.harvest(solver.safe_moves(16 + game % 14, game), 25_000, rarity)
        game += 1
        if game % 100 == 0:
            solver.clear()
        if game % 1000 == 0:
            print(
                f"{trainer.positions:,} positions, {time.process_time() - began:.0f} s", flush=True
            )


def write(rows: list[list[int]], path: Path, seed: int, positions: int) -> None:
    """The weights as a file that the core compiles in."""
    check = zlib.crc32(b"".join(struct.pack(f"<{len(row)}h", *row) for row in rows))
    head = HEAD.format(
        version=VERSION,
        seed=seed,
        positions=positions,
        check=check,
        rows=len(rows),
        lanes=len(rows[0]),
    )
    body = "".join(f"    {{{','.join(map(str, row))}}},\n" for row in rows)
    path.write_text(head + body + TAIL.replace("LANES", str(len(rows[0]))), encoding="ascii")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--positions", type=int, default=200_000, help="in each generation")
    parser.add_argument("--out", type=Path, default=TARGET)
    arguments = parser.parse_args()
    solver = Solver(False, 64)
    trainer = Trainer(solver, arguments.positions, arguments.seed)
    for generation, rarity in enumerate((2500, 2000)):
        trainer.forget()
        solver.clear()
        gather(trainer, solver, arguments.positions, rarity, (generation + 1) * 10_000_000)
        for loss, right in trainer.fit(5, 0.05, arguments.positions // 10):
            print(f"loss {loss:.4f}, right {right:.2%}", flush=True)
    write(trainer.rows, arguments.out, arguments.seed, arguments.positions)


if __name__ == "__main__":
    main()
