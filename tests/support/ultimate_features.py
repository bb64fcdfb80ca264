"""An independent implementation of the features of ultimate's network in numpy, from the
description in `evaluations/ultimate_network.pxd`. Tests compare the core with it."""

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from ttt import Board

Array = npt.NDArray[Any]

UNITS = 16
POSITION = np.dtype(
    [
        ("marks", np.int8, 81),  # 0 nobody's, 1 of the side to move, 2 of the other side
        ("owners", np.int8, 9),  # owners of the boards, likewise
        ("force", np.int8),  # the board in force, 9 for any
        ("tie", np.int8),  # 1: the count of boards decides
        ("won", np.int8),  # 1: won boards stay open
    ]
)
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
SIZES = [81, 81, 81, 81] + [9] * 10 + [10] + [9] * 4 + [38, 41]
"""Rows of each group of features before the classes, in order."""
FIRST_CLASS_ROW = sum(SIZES)
CLASSES = 581
ROWS = FIRST_CLASS_ROW + 10 * CLASSES


def completing(stones: Array) -> Array:
    """The cells that complete a line, empty or not; the last axis is the nine cells."""
    found = np.zeros_like(stones)
    for line in LINES:
        for i in range(3):
            found[..., line[i]] |= stones[..., line[i - 1]] & stones[..., line[i - 2]]
    return found


def lined(stones: Array) -> Array:
    """Whether nine cells have a line."""
    found = np.zeros(stones.shape[:-1], bool)
    for a, b, c in LINES:
        found |= stones[..., a] & stones[..., b] & stones[..., c]
    return found


@cache
def board_classes() -> Array:
    """The class of each pattern: the sum of its cells' digits times powers of 3."""
    found = np.zeros(3**9, np.int64)
    seen: dict[tuple[int, ...], int] = {}
    lines = [sum(1 << cell for cell in line) for line in LINES]
    for mine, theirs in product(range(512), repeat=2):
        empty = 511 & ~(mine | theirs)
        ours = [(line & mine).bit_count() - 4 * (line & theirs).bit_count() for line in lines]
        if mine & theirs or 3 in ours or -12 in ours:
            continue
        wins = [
            {line & empty for line, worth in zip(lines, ours, strict=True) if worth == two}
            for two in (2, -8)
        ]
        kind = (*map(len, wins), ours.count(1), ours.count(-4), ours.count(0), empty.bit_count())
        digits = sum(((mine >> i & 1) + 2 * (theirs >> i & 1)) * 3**i for i in range(9))
        found[digits] = seen.setdefault(kind, len(seen))
    assert len(seen) == CLASSES
    return found


def class_rows(positions: Array) -> Array:
    """Ten rows per position: the classes of its nine boards and of the board in force; ROWS stands
    for none."""
    total = len(positions)
    marks = positions["marks"].reshape(total, 9, 9)
    open_boards = (positions["owners"] == 0) & (marks == 0).any(2)
    classes = board_classes()[marks.astype(np.int64) @ 3 ** np.arange(9)]
    boards = np.where(open_boards, FIRST_CLASS_ROW + CLASSES * np.arange(9) + classes, ROWS)
    force = np.minimum(positions["force"], 8)[:, None].astype(np.int64)
    here = np.take_along_axis(open_boards, force, 1)[:, 0] & (positions["force"] < 9)
    in_force = FIRST_CLASS_ROW + 9 * CLASSES + np.take_along_axis(classes, force, 1)[:, 0]
    return np.column_stack([boards, np.where(here, in_force, ROWS)]).astype(np.uint16)


def features(positions: Array) -> Array:
    """Zeros and ones for each position: its features before the classes."""
    total = len(positions)
    marks = positions["marks"].reshape(total, 9, 9)
    empty = marks == 0
    mine, theirs = positions["owners"] == 1, positions["owners"] == 2
    owned = mine | theirs
    closed = ~empty.any(2) | (owned & (positions["won"] == 0)[:, None])
    open_boards = ~owned & ~closed
    stones = [(marks == side) & open_boards[:, :, None] for side in (1, 2)]
    wins = [completing(side) & empty & open_boards[:, :, None] for side in stones]
    alive = [open_boards & lined((marks == side) | empty) for side in (1, 2)]
    decisive = [completing(side) & live for side, live in zip((mine, theirs), alive, strict=True)]
    every = np.arange(total)
    force = np.zeros((total, 10), bool)
    force[every, positions["force"]] = True
    in_force = [(group * force[:, :9, None]).any(1) for group in (*stones, *wins)]
    lead = np.zeros((total, 38), bool)
    lead[every, 19 * positions["tie"] + 9 + mine.sum(1) - theirs.sum(1)] = True
    stage = np.zeros((total, 41), bool)
    stage[every, (~empty).sum((1, 2)) // 2] = True
    groups = [*stones, *wins, open_boards & ~alive[0], open_boards & ~alive[1], mine, theirs]
    groups += [closed & ~owned, owned & ~closed, *decisive]
    groups += [boards & cells.any(2) for boards, cells in zip(decisive, wins, strict=True)]
    groups += [force, *in_force, lead, stage]
    return np.concatenate([group.reshape(total, -1) for group in groups], 1)


def encode(board: Board) -> tuple[Any, ...]:
    """A board as a POSITION."""
    marks, force, owners = board.picture()
    digits = str.maketrans(".xo" if board.turn == "x" else ".ox", "\0\1\2")
    return (
        np.frombuffer(marks.translate(digits).encode(), np.int8),
        np.frombuffer(owners.translate(digits).encode(), np.int8),
        9 if force == "*" else force,
        board.options["tie"] == "boards",
        board.options["won"] == "open",
    )


@cache
def row_images() -> Array:
    """Where each of the eight symmetries sends each row."""
    found = np.tile(np.arange(ROWS), (8, 1))
    for symmetry in range(8):
        grid = np.arange(9).reshape(3, 3)
        grid = grid.T if symmetry & 4 else grid
        grid = grid[::-1] if symmetry & 2 else grid
        cells = (grid[:, ::-1] if symmetry & 1 else grid).ravel()
        first = 0
        for size in SIZES:
            if size == 81:
                found[symmetry, first : first + 81] = (
                    first + (9 * cells[:, None] + cells[None, :]).ravel()
                )
            elif size in (9, 10):
                found[symmetry, first : first + 9] = first + cells
            first += size
        found[symmetry, first : first + 9 * CLASSES] = (
            first + (CLASSES * cells[:, None] + np.arange(CLASSES)).ravel()
        )
    return found


def signs() -> Array:
    """1 for the hidden units that are added, -1 for those subtracted, symmetry by symmetry."""
    return np.tile(np.repeat(np.array([1, -1], np.float32), UNITS // 2), 8)


def expand(weights: Array, images: Array) -> Array:
    """The rows of all hidden units: those of the learned units, symmetry by symmetry."""
    return np.concatenate([weights[image] for image in images], 1)


def image_rows(board: Board) -> list[list[int]]:
    """The rows of each of the eight images of a position."""
    positions = np.array([encode(board)], POSITION)
    rows = [*np.flatnonzero(features(positions)[0]).tolist(), *class_rows(positions)[0].tolist()]
    found: list[list[int]] = row_images()[:, [row for row in rows if row < ROWS]].tolist()
    return found
