"""The learned evaluation of nine-board: its file is whole, the core computes what it defines, and
training goes on where it was."""

import random
import re
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from nineboard_check import LINED, Position
from test_nineboard_odds import classes, shape

from ttt import Board, Engine
from ttt_core.games import nineboard as core

PROJECT = Path(__file__).parents[1]
WEIGHTS = PROJECT / "src/ttt_core/evaluations/nineboard_weights.pxd"
GROUPS = {  # of rows, in their order: how many
    "stones": 162, "wins": 162, "unsafe": 162, "threat": 18, "trap": 18, "forced": 18,
    "filled": 18, "force stones": 18, "force wins": 18, "safe": 9, "making": 9, "to trap": 9,
    "to forced": 9, "force": 10, "safes": 10, "makings": 10, "joint": 36, "stage": 41,
    "force class": 581, "class": 9 * 581,
}  # fmt: skip


@cache
def training(name: str = "train_nineboard") -> Any:
    sys.path.insert(0, str(PROJECT / "bench"))
    return import_module(name)


def cells(held: int) -> list[int]:
    return [cell for cell in range(9) if held >> cell & 1]


def completing(mine: int, room: int) -> list[int]:
    """The cells that complete a line."""
    return [cell for cell in cells(room) if LINED[mine | 1 << cell]]


class Features:
    """The rows of a position, by the words of nineboard_model.pxd."""

    def __init__(self, position: Position) -> None:
        self.rows: list[int] = []
        self.position, self.room = position, [position.room(board) for board in range(9)]
        self.stones = [position.stones[position.side ^ other] for other in (0, 1)]
        self.open = [board for board in range(9) if self.room[board]]
        self.wins = [
            [completing(stones[board], self.room[board]) for board in range(9)]
            for stones in self.stones
        ]
        self.threat = [{board for board in range(9) if wins[board]} for wins in self.wins]
        self.left = [
            [[c for c in cells(self.room[b]) if c not in self.threat[1 - side]] for b in range(9)]
            for side in (0, 1)
        ]

    def add(self, group: str, numbers: Iterable[int]) -> None:
        first = 0
        for name, size in GROUPS.items():
            if name == group:
                break
            first += size
        self.rows += [first + number for number in numbers]

    def cornered(self, side: int, left: int) -> list[int]:
        """The boards without a threat on which so many cells are left that are not unsafe."""
        free = [board for board in self.open if board not in self.threat[side]]
        return [board for board in free if len(self.left[side][board]) == left]

    def add_side(self, side: int) -> None:
        stones, wins = self.stones[side], self.wins[side]
        for b in self.open:
            self.add("stones", (81 * side + 9 * b + cell for cell in cells(stones[b])))
            self.add("wins", (81 * side + 9 * b + cell for cell in wins[b]))
            unsafe = set(cells(self.room[b])) & self.threat[1 - side]
            self.add("unsafe", (81 * side + 9 * cell + b for cell in unsafe))
        self.add("threat", (9 * side + board for board in self.threat[side]))
        self.add("trap", (9 * side + board for board in self.cornered(side, 0)))
        self.add("forced", (9 * side + board for board in self.cornered(side, 1)))

    def add_force(self, force: int, known: dict[tuple[int, ...], int]) -> None:
        position, mover = self.position, self.position.side
        safe, making = [], []
        for move in list(position.moves()):
            position.play(move)
            replies = [(reply // 9, reply % 9) for reply in position.moves()]
            theirs = position.stones[1 - mover]
            if not any(LINED[theirs[board] | 1 << cell] for board, cell in replies):
                safe.append(move % 9)
                if completing(position.stones[mover][force], position.room(force)):
                    making.append(move % 9)
            position.undo()
        for side in (0, 1):
            self.add("force stones", (9 * side + c for c in cells(self.stones[side][force])))
            self.add("force wins", (9 * side + c for c in self.wins[side][force]))
        self.add("safe", safe)
        self.add("making", making)
        self.add("to trap", set(safe) & set(self.cornered(1, 0)))
        self.add("to forced", set(safe) & set(self.cornered(1, 1)))
        self.add("safes", [len(safe)])
        self.add("makings", [len(making)])
        self.add("force class", [known[shape(self.stones[0][force], self.stones[1][force])]])

    def all(self, known: dict[tuple[int, ...], int]) -> list[int]:
        position = self.position
        for side in (0, 1):
            self.add_side(side)
        full = [board for board in range(9) if not self.room[board]]
        self.add("filled", (9 * position.full_draws + board for board in full))
        if position.board is not None:
            self.add_force(position.board, known)
        self.add("force", [9 if position.board is None else position.board])
        mine, theirs = (min(len(threat), 5) for threat in self.threat)
        self.add("joint", [6 * mine + theirs])
        self.add("stage", [sum(9 - room.bit_count() for room in self.room) // 2])
        for b in self.open:
            self.add("class", [581 * b + known[shape(self.stones[0][b], self.stones[1][b])]])
        return self.rows


def log_odds(board: Board, weights: Any, known: dict[tuple[int, ...], int]) -> int:
    """What the net makes of a position, in units of the weights: every image of it is looked at by
    the same units."""
    found = 0
    for image in board.symmetries():
        position = Position(board.options["full"] == "draw")
        marks, force, _ = image.picture()
        for place, mark in enumerate(marks):
            if mark != ".":
                position.stones["xo".index(mark)][place // 9] |= 1 << place % 9
        position.side = board.ply % 2
        position.board = force if isinstance(force, int) else None
        sums = weights[Features(position).all(known)].astype(int).sum(0)
        half = len(sums) // 2
        found += int(np.maximum(sums[:half], 0).sum() - np.maximum(sums[half:], 0).sum())
    return found


def test_the_weights_are_those_that_were_checked() -> None:
    weights = training("learning").read_weights(WEIGHTS)
    course = training().COURSE
    check = zlib.crc32(b"".join(struct.pack("<16h", *row) for row in weights.tolist()))
    assert (course.version, check) == core.WEIGHTS
    assert weights.shape == (sum(GROUPS.values()), 16) == (course.rows, course.units)
    assert WEIGHTS.stat().st_size < 1_000_000


def filled(board: Board) -> bool:
    marks, _, _ = board.picture()
    return any("." not in marks[i : i + 9] for i in range(0, 81, 9))


def quiet_boards(full: str) -> Iterator[Board]:
    """Positions of random games in which a safe move is left and none wins: one in twenty, and all
    that have a full board."""
    for seed in range(250):
        rng, board = random.Random(seed), Board("nineboard", full=full)
        while not board.is_game_over():
            wins = set(board.wins(board.turn))
            others = [move for move in board.legal_moves if move not in wins]
            safe = board.safe_moves()
            quiet = safe and len(others) == len(board.legal_moves)
            if quiet and (filled(board) or rng.random() < 0.05):
                yield board.copy()
            if not others:
                break
            board.push(rng.choice(safe if safe and rng.random() < 0.5 else others))


@pytest.mark.parametrize("full", ["any", "draw"])
def test_the_core_computes_what_is_defined(full: str) -> None:
    engine = Engine("nineboard", hash=1, full=full)
    weights, known = training("learning").read_weights(WEIGHTS), classes()
    values, full_boards = set(), 0
    for board in quiet_boards(full):
        value = int(16 * log_odds(board, weights, known) / training().COURSE.scale)
        assert engine.evaluate(board) == max(-1000, min(1000, value)), board.text()
        values.add(value)
        full_boards += filled(board)
    assert len(values) > 50
    assert full_boards > 5


def test_weights_of_another_shape_are_refused() -> None:
    board = Board("nineboard")
    ruleset = core.Ruleset(board.ruleset.options, lambda options: board.ruleset.moves)
    with pytest.raises(ValueError, match="6547 rows of 16"):
        core.take_weights(ruleset, np.zeros((6547, 8), np.int16))
    core.take_weights(ruleset, np.zeros((6547, 16), np.int16))
    assert core.Engine(ruleset, 1).evaluate(board, 1) == 0


def test_training_learns_goes_on_and_plays(tmp_path: Path) -> None:
    """Two small generations: the loss falls, nothing is done twice, and they can play a match."""
    out = tmp_path / "weights.pxd"
    command = [sys.executable, str(PROJECT / "bench/train_nineboard.py"), "--folder", str(tmp_path)]
    small = ["--shards", "1", "--nodes", "20", "--generations", "2", "--processes", "2"]

    def run(*more: str) -> str:
        done = subprocess.run([*command, *more], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    losses = re.findall(r"loss (\d\.\d+)", run(*small, "--epochs", "8", "--out", str(out)))
    assert len(losses) == 16
    assert float(losses[-1]) < 0.67
    weights = out.read_text(encoding="ascii")
    assert training("learning").read_weights(out).any()
    assert "loss" not in run(*small, "--out", str(out))
    assert out.read_text(encoding="ascii") == weights
    for kept in ("1/00000.games", "1/weights.npy", "2/weights.npy"):  # the same again from nothing
        (tmp_path / kept).unlink()
    run(*small, "--epochs", "8", "--out", str(out))
    assert out.read_text(encoding="ascii") == weights
    assert "generation 2 against 0" in run("--match", "2", "0", "--pairs", "1")
