"""Fits the constants of Connect Four's evaluation to solved positions (`ttt train connect4`).

A linear fit; a win counts 100, a draw 0. Positions have 12 to 28 plies and come from games between
short searches with more or fewer random moves; those in which a side can win at once are left out.
The searches use the present evaluation, so each fit gives slightly different constants. Those in
use (32 10 4 67 11 28 43) were fitted to games of the previous evaluation; fitting again gives
29 10 3 72 11 32 43, which has not been tested in games.
"""

from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt.board import Board
from ttt.engine import Engine
from ttt.solvers.connect4 import Connect4Solver

Words = NDArray[np.uint64]

SEED = 1
PLIES = range(12, 29)
POSITIONS_PER_GAME = 3
BOTTOM = sum(1 << 8 * column for column in range(7))  # columns of 8 bits, as in games/connect4.pxd
BOARD = np.uint64(63 * BOTTOM)
ODD = np.uint64(21 * BOTTOM)
LINES = [  # the stride of each direction, and the cells that its lines start from
    (stride, np.uint64(sum(1 << 8 * column + row for column in columns for row in rows)))
    for stride, columns, rows in (
        (1, range(7), range(3)),
        (7, range(4), range(3, 6)),
        (8, range(4), range(6)),
        (9, range(4), range(3)),
    )
]
NAMES = ("TEMPO", "PAIR", "SINGLE", "X_ODD", "X_EVEN", "O_ODD", "O_EVEN", "intercept")


class Fit(NamedTuple):
    """The fitted constants, and the quality of the fit."""

    constants: dict[str, float]
    """Those of `src/ttt_core/evaluations/connect4.pxd`, and the intercept, which it leaves out."""
    positions: int
    explained: float
    """The share of the variance explained in the third of the positions held out."""


def sample(positions: int) -> list[Board]:
    """Different positions of games between short searches."""
    rng = Random(SEED)
    engine = Engine("connect4", hash=4, solver=False)
    found: dict[str, Board] = {}
    while len(found) < positions:
        board = Board("connect4")
        chance = rng.choice([0.1, 0.25, 0.5, 1])
        plies = rng.sample(PLIES, POSITIONS_PER_GAME)
        while not board.is_game_over():
            if board.ply in plies:
                found[board.text()] = board.copy()
            if board.ply < 3 or rng.random() < chance:
                board.push(rng.choice(board.legal_moves))
            else:
                move = engine.search(board, nodes=rng.choice([30, 200, 600])).move
                assert move is not None
                board.push(move)
    return list(found.values())


def shifted(cells: Words, steps: int) -> Words:
    return cells << np.uint64(steps) if steps > 0 else cells >> np.uint64(-steps)


def wins(mine: Words, theirs: Words) -> Words:
    """The empty cells that would win."""
    found = np.zeros_like(mine)
    for stride, _ in LINES:
        for at in range(4):  # the place of the cell in the line
            rest = [shifted(mine, stride * (at - other)) for other in range(4) if other != at]
            found |= rest[0] & rest[1] & rest[2]
    return found & BOARD & ~(mine | theirs)


def open_lines(mine: Words, theirs: Words, discs: int) -> NDArray[np.float64]:
    """The number of lines with `discs` discs of one side and none of the other."""
    found = np.zeros(len(mine))
    for stride, starts in LINES:
        for cell in range(56):
            if int(starts) >> cell & 1:
                line = np.uint64(sum(1 << cell + stride * step for step in range(4)))
                found += (theirs & line == 0) & (np.bitwise_count(mine & line) == discs)
    return found


def above(cells: Words) -> Words:
    """The cells above any of the cells."""
    for _ in range(5):
        cells = cells | shifted(cells, 1) & BOARD
    return shifted(cells, 1)


def features(x: Words, o: Words, turn: NDArray[np.int64]) -> NDArray[np.float64]:
    """A row for each position, in the order of NAMES; `turn` is 1 if x is to move, else -1."""
    x_wins, o_wins = wins(x, o) & ~above(wins(o, x)), wins(o, x) & ~above(wins(x, o))
    return np.stack(
        [
            turn,
            open_lines(x, o, 2) - open_lines(o, x, 2),
            open_lines(x, o, 1) - open_lines(o, x, 1),
            np.bitwise_count(x_wins & ODD),
            np.bitwise_count(x_wins & ~ODD),
            -np.bitwise_count(o_wins & ODD).astype(float),
            -np.bitwise_count(o_wins & ~ODD).astype(float),
            np.ones(len(x)),
        ],
        axis=1,
    )


def fit(positions: int) -> Fit:
    """Samples positions, solves them and fits the constants to their values."""
    boards = sample(positions)
    solver = Connect4Solver(hash=128)
    values = np.array(solver.solve_many(boards, weak=True), float)
    mine, theirs = np.array([solver.pack(board) for board in boards], np.uint64).T
    playable = (mine | theirs) + np.uint64(BOTTOM)
    quiet = (wins(mine, theirs) | wins(theirs, mine)) & playable == 0
    turn = np.array([1 if board.turn == "x" else -1 for board in boards])[quiet]
    mine, theirs, values = mine[quiet], theirs[quiet], 100 * values[quiet] * turn
    rows = features(np.where(turn > 0, mine, theirs), np.where(turn > 0, theirs, mine), turn)
    held_out = np.arange(len(rows)) % 3 == 0
    weights = np.linalg.lstsq(rows[~held_out], values[~held_out], rcond=None)[0]
    errors = values[held_out] - rows[held_out] @ weights
    return Fit(
        dict(zip(NAMES, weights.tolist(), strict=True)),
        len(rows),
        float(1 - errors.var() / values[held_out].var()),
    )
