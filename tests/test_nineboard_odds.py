"""What the nine-board solver starts from: its file is whole, the core computes what it defines."""

import re
import struct
import subprocess
import sys
import zlib
from itertools import product
from pathlib import Path

import pytest

import ttt_core
from support.nineboard_check import FULL, LINED, LINES, Position
from ttt import Board
from ttt.solvers.nineboard import SOLVER
from ttt_core.solvers.nineboard import solver as core

FILE = Path(ttt_core.__file__).parent / "solvers/nineboard/odds_weights.pxd"


def numbers() -> list[list[int]]:
    rows = re.findall(r"^ *\{([-0-9,]+)\},$", FILE.read_text(encoding="ascii"), re.MULTILINE)
    return [[int(number) for number in row.split(",")] for row in rows]


def completing(mine: int, room: int) -> int:
    """How many cells complete a line."""
    return sum(room >> cell & 1 and LINED[mine | 1 << cell] for cell in range(9))


def shape(mine: int, theirs: int) -> tuple[int, ...]:
    """What small boards of one class agree in."""
    room = FULL & ~(mine | theirs)
    pairs = [line for line in LINES if (line & room).bit_count() == 2]
    return (
        completing(mine, room),
        completing(theirs, room),
        sum(line & mine != 0 for line in pairs),
        sum(line & theirs != 0 for line in pairs),
        sum(line & room == line for line in LINES),
        room.bit_count(),
    )


def classes() -> dict[tuple[int, ...], int]:
    found: dict[tuple[int, ...], int] = {}
    for mine, theirs in product(range(512), repeat=2):
        if not mine & theirs and not LINED[mine] and not LINED[theirs]:
            found.setdefault(shape(mine, theirs), len(found))
    return found


def features(position: Position, known: dict[tuple[int, ...], int]) -> list[int]:
    """The rows of a position on a board in force, by the words of nineboard_odds.pxd."""
    size = len(known)
    side, force = position.side, position.board
    assert force is not None
    mine, theirs = position.stones[side], position.stones[1 - side]
    room = [position.empty(board) for board in range(9)]
    my_threats = [completing(mine[b], room[b]) > 0 for b in range(9)]
    their_threats = [completing(theirs[b], room[b]) > 0 for b in range(9)]
    found = []
    for b in range(9):
        kind = 2 if b == 4 else b % 2
        found.append(kind * size + known[shape(mine[b], theirs[b])])
        cells = [cell for cell in range(9) if room[b] >> cell & 1]
        if not my_threats[b]:
            found.append(4 * size + 1 + sum(not their_threats[cell] for cell in cells))
        if not their_threats[b]:
            found.append(4 * size + 11 + sum(not my_threats[cell] for cell in cells))
    found.append(3 * size + known[shape(mine[force], theirs[force])])
    joint = 4 * size + 21
    found.append(joint + 6 * min(sum(my_threats), 5) + min(sum(their_threats), 5))
    safe = making = 0
    for move in list(position.moves()):
        position.play(move)
        replies = [
            LINED[position.stones[1 - side][reply // 9] | 1 << reply % 9]
            for reply in position.moves()
        ]
        if not any(replies):
            safe += 1
            making += completing(position.stones[side][force], position.empty(force)) > 0
        position.undo()
    found += [joint + 36 + safe, joint + 52 + making]
    stones = sum(9 - cells.bit_count() for cells in room)
    return [*found, joint + 62 + stones // 2]


def log_odds(rows: list[list[int]], chosen: list[int]) -> int:
    sums = [sum(rows[row][lane] for row in chosen) for lane in range(16)]
    added = sum(max(total, 0) for total in sums[1:8])
    return sums[0] + added - sum(max(total, 0) for total in sums[8:])


def test_the_file_is_whole() -> None:
    text = FILE.read_text(encoding="ascii")
    (check,) = re.findall(r"ttt_nineboard_odds_check = (\d+)u;", text)
    packed = b"".join(struct.pack("<16h", *row) for row in numbers())
    assert zlib.crc32(packed) == int(check)
    assert "version 3," in text
    assert (3, int(check)) == core.WEIGHTS


@pytest.mark.parametrize("full", ["any", "draw"])
def test_the_core_computes_what_is_defined(full: str) -> None:
    solver = SOLVER(hash=1, full=full)
    rows, known = numbers(), classes()
    assert len(known) == 581
    compared = 0
    for seed in range(120):
        board = Board("nineboard", full=full)
        position = Position(full == "draw")
        for number in solver.core.safe_moves(1 + seed % 45, seed):
            board.push(board.ruleset.moves[number])
            position.play(number)
        if position.board is None:
            continue
        expected = log_odds(rows, features(position, known))
        marks, force, _ = board.picture()
        assert round(256 * solver.core.judge(marks, force)) == expected, board.text()
        compared += 1
    assert compared > 100


def test_the_trainer_learns_what_it_is_told() -> None:
    """After `5 5` the side to move is to be lost, after `5 5 5 1` won."""
    solver = core.Solver(False, 1)
    trainer = core.Trainer(solver, 1000, 1)
    for _ in range(300):
        trainer.take([40, 36], [None, 0.0, 1.0])
    assert trainer.positions == 600
    trainer.fit(5, 0.05, 60)
    board = Board("nineboard")
    for move, sign in (("5 5", -1), ("5 1", 1)):
        board.push(move)
        marks, force, _ = board.picture()
        assert sign * solver.judge(marks, force) > 1


def test_training_again_gives_the_same_weights(tmp_path: Path) -> None:
    script = Path(__file__).parents[1] / "bench/train_nineboard_solver.py"
    command = [sys.executable, str(script), "--positions", "300", "--games", "3"]
    for name in ("one", "two"):
        subprocess.run([*command, "--out", str(tmp_path / name)], check=True, capture_output=True)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert len((tmp_path / "one").read_bytes()) > 100_000
