"""The independent checker of nine-board proofs, `proof/check.c`: its solver agrees with ours, and
its walk over the tree accepts whole certificates only."""

import shutil
import struct
import subprocess
from pathlib import Path
from random import Random

import pytest

from support import nineboard_check
from ttt import Board
from ttt.solvers.nineboard import NineboardSolver

SOURCE = Path(__file__).parent / "proof/check.c"
LEAF = 128


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    program = tmp_path_factory.mktemp("proof") / "check"
    flags = ["-O2", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["cc", *flags, "-o", program, SOURCE, "-lm"], check=True)
    return program


def late_boards(count: int, seed: int) -> list[Board]:
    """Running games under full=draw, with a board in force and nobody winning at once."""
    random = Random(seed)
    found: list[Board] = []
    while len(found) < count:
        board = Board("nineboard", full="draw")
        for _ in range(random.randint(24, 40)):
            moves = board.safe_moves()
            if not moves or board.is_game_over():
                break
            board.push(random.choice(moves))
        if board.ply >= 24 and board.safe_moves() and not any(map(board.is_legal, board.wins())):
            found.append(board)
    return found


def test_its_solver_agrees_with_ours(checker: Path, tmp_path: Path) -> None:
    boards = late_boards(60, 1)
    positions = tmp_path / "positions.txt"
    positions.write_text("".join(f"{board.text()}\n" for board in boards))
    done = subprocess.run(
        [checker, "--positions", positions], check=True, capture_output=True, text=True, timeout=300
    )
    solver = NineboardSolver(hash=8, full="draw")
    results = set()
    for board, line in zip(boards, done.stdout.splitlines(), strict=True):
        text, result, _ = line.split(" | ")
        assert board.text().endswith(text)
        value = solver.solve(board).value
        x_wins = value == ("win" if board.turn == "x" else "loss")
        assert (result == "win") == x_wins, line
        results.add(x_wins)
        if board.ply >= 38:  # and with a search to the end by the rules alone
            rules = nineboard_check.Position(full_draws=True)
            for move in board.moves:
                rules.play(move.number)
            slow = nineboard_check.value(rules, {})
            assert (slow == (1 if board.turn == "x" else -1)) == x_wins
    assert results == {True, False}


def canonical(board: Board) -> Board:
    return min(board.symmetries(), key=Board.text)


def certificate(path: Path, records: bytes, count: int) -> Path:
    path.write_bytes(b"tttnineb" + struct.pack(">HHIHI", 1, 3, 0, 64, count) + records + bytes(32))
    return path


def small_tree() -> bytes:
    """x opens 5 5, and every reply of o leads to a leaf; its solution is not checked here."""
    board = Board("nineboard", full="draw")
    board.push("5 5")
    leaves = {}
    for reply in board.legal_moves:
        board.push(reply)
        leaf = canonical(board)
        leaves[leaf.text()] = leaf.safe_moves()[0].number
        board.pop()
    return bytes([40]) + b"".join(bytes([LEAF | leaves[text], 0]) for text in sorted(leaves))


def check(checker: Path, path: Path) -> tuple[int, str]:
    done = subprocess.run([checker, path], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout


def test_a_whole_tree_is_accepted(checker: Path, tmp_path: Path) -> None:
    status, output = check(checker, certificate(tmp_path / "good", small_tree(), 3))
    assert (status, output.splitlines()[-1]) == (
        0,
        "1 moves of x, 2 leaves: every reply of o is answered",
    )


def test_changed_trees_are_refused(checker: Path, tmp_path: Path) -> None:
    good = small_tree()
    changed = {
        "missing leaf": (good[:3], 2),
        "extra record": (good + bytes([LEAF | 1, 0]), 4),
        "another first move": (bytes([41]) + good[1:], 3),
        "illegal move": (good[:1] + bytes([LEAF | 40]) + good[2:], 3),
        "no such move": (bytes([81]) + good[1:], 3),
        "number of records": (good, 4),
        "leaf instead of a move": (bytes([LEAF | 40, 0]) + good[1:], 3),
        "move instead of a leaf": (good[:1] + bytes([good[1] & 127]) + good[3:], 3),
    }
    for name, (records, count) in changed.items():
        status, output = check(checker, certificate(tmp_path / "bad", records, count))
        assert status == 1, name
        assert output.splitlines()[-1].startswith("refused: "), name
