"""The network of the nine-board solver: the core computes its definition, and training works."""

import random
from array import array
from pathlib import Path

import pytest

from support.commands import run
from support.nineboard_check import LINED, Position
from support.nineboard_features import board_classes, completing, shape
from ttt import Board
from ttt.solvers.nineboard import SOLVER
from ttt.storage.weights import load_shipped, read_weights
from ttt_core.solvers.nineboard import solver as core


def weights() -> list[list[int]]:
    """The shipped weights, row by row."""
    numbers, (rows, units) = load_shipped("nineboard-solver"), core.SHAPE
    return [numbers[i * units : (i + 1) * units].tolist() for i in range(rows)]


def features(position: Position, known: dict[tuple[int, ...], int]) -> list[int]:
    """The rows of a position with a board in force."""
    size = len(known)
    side, force = position.side, position.board
    assert force is not None
    mine, theirs = position.stones[side], position.stones[1 - side]
    room = [position.empty(board) for board in range(9)]
    my_threats = [bool(completing(mine[b], room[b])) for b in range(9)]
    their_threats = [bool(completing(theirs[b], room[b])) for b in range(9)]
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
            making += bool(completing(position.stones[side][force], position.empty(force)))
        position.undo()
    found += [joint + 36 + safe, joint + 52 + making]
    stones = sum(9 - cells.bit_count() for cells in room)
    return [*found, joint + 62 + stones // 2]


def forward(rows: list[list[int]], chosen: list[int]) -> int:
    """The network's output: one linear unit, seven added, eight subtracted."""
    sums = [sum(rows[row][unit] for row in chosen) for unit in range(16)]
    added = sum(max(total, 0) for total in sums[1:8])
    return sums[0] + added - sum(max(total, 0) for total in sums[8:])


@pytest.mark.parametrize("full", ["any", "draw"])
def test_the_core_computes_the_defined_output(full: str) -> None:
    solver = SOLVER(hash=1, full=full)
    rows, known = weights(), board_classes()
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
        expected = forward(rows, features(position, known))
        marks, force, _ = board.picture()
        assert round(256 * solver.core.evaluate(marks, force)) == expected, board.text()
        compared += 1
    assert compared > 100


@pytest.mark.parametrize("full", ["any", "draw"])
def test_children_are_evaluated_as_positions_are(full: str) -> None:
    """The search changes the sums of a node; `evaluate` computes each position from nothing."""
    solver = SOLVER(hash=1, full=full)
    compared = 0
    for seed in range(100):
        rng, board = random.Random(seed), Board("nineboard", full=full)
        while not board.is_game_over():
            wins = board.wins(board.turn)
            quiet = [move for move in board.legal_moves if move not in wins]
            if not quiet:
                break
            marks, force, _ = board.picture()
            children = {} if wins else solver.core.evaluate_children(marks, force)
            for number in rng.sample(sorted(children), min(2, len(children))):
                after = board.copy()
                after.push(board.ruleset.moves[number])
                if not after.is_game_over():
                    cells, below, _ = after.picture()
                    expected = solver.core.evaluate(cells, below)
                    assert children[number] == expected, after.text()
                    compared += 1
            board.push(rng.choice(quiet))
    assert compared > 1000


def test_the_trainer_fits_its_samples() -> None:
    """After `5 5` the side to move loses, after `5 5 5 1` it wins."""
    rows, units = core.SHAPE
    solver = core.Solver(False, 1, 1, array("h", [0]) * (rows * units))
    trainer = core.Trainer(solver, 1000, 1)
    for _ in range(300):
        trainer.add_game([40, 36], [None, 0.0, 1.0])
    assert trainer.positions == 600
    trainer.fit(5, 0.05, 60)
    board = Board("nineboard")
    for move, sign in (("5 5", -1), ("5 1", 1)):
        board.push(move)
        marks, force, _ = board.picture()
        assert sign * solver.evaluate(marks, force) > 1


def test_weights_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="9 weights; the network takes 39168"):
        core.Solver(False, 1, 1, array("h", [0] * 9))


def test_training_again_gives_the_same_weights(tmp_path: Path) -> None:
    for name in ("one", "two"):
        done = run(
            *("train", "nineboard-solver", "--positions", "300", "--games", "3"),
            *("--out", str(tmp_path / name)),
        )
        assert done.returncode == 0, done.stderr
        assert "accuracy" in done.stdout
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    found = read_weights(tmp_path / "one", "nineboard-solver")
    assert (found.rows, found.units, found.version) == (*core.SHAPE, 3)
    assert any(found.weights)
