"""Proofs of nine-board: the tree, the log, the command line."""

import shutil
import signal
import subprocess
from functools import partial
from pathlib import Path
from random import Random

import pytest

from support import nineboard_check
from support.commands import start
from support.inprocess import run
from support.nineboard_proof import (
    LATE,
    SMALL,
    finish,
    late_board,
    random_boards,
    small_certificate,
)
from support.processes import wait_until
from ttt import Board
from ttt.proofs.log import Leaf, ProofLog
from ttt.proofs.nineboard import Proof
from ttt.proofs.verification import solve_again
from ttt.solvers.certificate import Certificate, board_of, position_of
from ttt.solvers.nineboard import NineboardSolver
from ttt.storage.lines import DamagedFile
from ttt_core.errors import BadNotation
from ttt_core.solvers.nineboard import solver as core


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return small_certificate(tmp_path_factory.mktemp("small"))


# --- the core's functions ------------------------------------------------------------------------


def test_canonical_positions_are_the_least_images() -> None:
    for board in random_boards(60, 3, (2, 30)):
        if board.turn == "o":
            continue
        images = {position_of(image) for image in board.symmetries()}
        found, symmetry = core.canonical(position_of(board))
        assert found == min(images)
        assert {core.canonical(image)[0] for image in images} == {found}
        for move in board.legal_moves:
            image = core.image_of_move(symmetry, move.number)
            assert core.original_of_move(symmetry, image) == move.number
            played, other = board.copy(), board_of(found)
            played.push(move)
            other.push(other.ruleset.moves[image])
            assert other in played.symmetries()


def slow_replies(board: Board, move: int) -> tuple[set[str], int] | None:
    """What `replies` returns, by the rules alone; None if it refuses the move."""
    rules = nineboard_check.Position(full_draws=True)
    for played in board.moves:
        rules.play(played.number)
    if move not in rules.moves():
        return None
    rules.play(move)
    if rules.over or wins_at_once(rules):
        return None
    found, wins = set(), 0
    for reply in list(rules.moves()):
        rules.play(reply)
        if rules.over:
            return None
        if wins_at_once(rules):
            wins += 1
        else:
            marks = "".join(
                "x" if rules.stones[0][i // 9] >> i % 9 & 1
                else "o" if rules.stones[1][i // 9] >> i % 9 & 1 else "."
                for i in range(81)
            )  # fmt: skip
            assert rules.board is not None
            found.add(f"{marks}{rules.board + 1}")
        rules.undo()
    return found, wins


def wins_at_once(rules: nineboard_check.Position) -> bool:
    stones = rules.stones[rules.side]
    return any(nineboard_check.LINED[stones[m // 9] | 1 << m % 9] for m in rules.moves())


def test_replies_are_those_of_the_rules() -> None:
    refused = allowed = 0
    for board in random_boards(150, 4, (2, 60)):
        if board.turn == "o":
            continue
        for move in range(81):
            expected = slow_replies(board, move)
            try:
                found, wins = core.replies(position_of(board), move)
            except ValueError:
                assert expected is None
                refused += 1
            else:
                assert expected is not None
                assert (set(found), wins) == expected
                assert len(found) == len(set(found))
                allowed += 1
    assert refused > 1000
    assert allowed > 100


@pytest.mark.parametrize(
    "position",
    ["", "." * 81, "." * 81 + "0", "x" + "." * 80 + "1", "xx.......o..o" + "." * 68 + "*"],
)
def test_impossible_positions_are_refused(position: str) -> None:
    with pytest.raises(BadNotation):
        core.canonical(position)


# --- the driver ----------------------------------------------------------------------------------


def test_a_proof_is_complete_and_true(small: Certificate) -> None:
    small.check_tree()
    leaves = small.leaves()
    assert len(leaves) > 10
    assert all(NineboardSolver(8, full="draw").solve(board_of(p)).value == "win" for p, _ in leaves)
    assert set(solve_again(small, leaves)) == {record.nodes for _, record in leaves}


def test_a_proof_wins_against_every_reply(small: Certificate) -> None:
    """The tree, then the solver from each leaf on, by rules that share no code with the core."""
    board = late_board()
    rules = nineboard_check.Position(full_draws=True)
    for move in board.moves:
        rules.play(move.number)
    solver = NineboardSolver(8, full="draw")

    def choose(played: list[int]) -> int:
        now = board.copy()
        for number in played:
            now.push(now.ruleset.moves[number])
        wins = [move for move in now.wins() if now.is_legal(move)]
        if wins:
            return wins[0].number
        record = small.find(now)
        if record is not None:
            return record.move
        found = solver.solve(now)
        assert found.value == "win"
        assert found.move is not None
        return found.move.number

    assert nineboard_check.verify(rules, 0, choose) > 1000


@pytest.mark.parametrize("stops", [(1,), (3, 4), (6, 1, 2)])
def test_a_stopped_proof_resumes_exactly(
    tmp_path: Path, small: Certificate, stops: tuple[int, ...]
) -> None:
    for most in stops:
        proof = Proof(tmp_path, late_board(), SMALL)
        finish(proof, most)
        proof.close()
    proof = Proof(tmp_path, late_board(), SMALL)
    assert len(proof.log.lines) == sum(stops)
    assert proof.certificate(finish(proof)).records == small.records
    proof.close()


def test_shards_add_up(tmp_path: Path, small: Certificate) -> None:
    from ttt.jobs import Shard

    for number in (1, 2, 3):
        proof = Proof(tmp_path / str(number), late_board(), SMALL, Shard(number, 3))
        tree = finish(proof)
        proof.close()
        assert tree.missing_leaves
        for log in (tmp_path / str(number)).glob("*.log"):
            shutil.copy(log, tmp_path)
    proof = Proof(tmp_path, late_board(), SMALL)
    tree = proof.tree()
    assert not proof.jobs(tree)
    assert proof.certificate(tree).records == small.records
    proof.close()
    assert sorted(path.name for path in tmp_path.glob("*.xz")) == ["log.xz"]


def test_open_leaves_move_down_and_then_get_more_nodes(tmp_path: Path) -> None:
    settings = SMALL._replace(leaf_ply=24, leaf_nodes=(1_000, 5_000))
    proof = Proof(tmp_path, late_board(), settings)
    tree = finish(proof)
    lines = [line.split("\t") for line in proof.log.lines]
    opened = [fields for fields in lines if fields[0] == "leaf" and fields[2] == "unknown"]
    assert {81 - position.count(".") for _, position, *_ in opened} == {24, 26, 28}
    assert {81 - position.count(".") for position in tree.leaves} == {26, 28}
    harder = [position for position, leaf in tree.leaves.items() if leaf.nodes > 1_010]
    assert harder
    assert {81 - position.count(".") for position in harder} == {28}
    assert max(leaf.nodes for leaf in tree.leaves.values()) < 5_010
    proof.certificate(tree).check_tree()
    proof.close()


def test_a_lost_leaf_changes_the_move_above(tmp_path: Path) -> None:
    proof = Proof(tmp_path, late_board(), SMALL)
    tree = finish(proof)
    leaf = next(iter(tree.leaves))
    above, move = tree.parents[leaf][0]
    proof.close()
    other = tmp_path / "other"
    proof = Proof(other, late_board(), SMALL)
    proof.log.add_leaf(leaf, Leaf("loss", 1, 0))
    tree = finish(proof)
    assert tree.moves.get(above) != move
    assert leaf not in tree.leaves
    if not tree.failed:
        proof.certificate(tree).check_tree()
    proof.close()


def test_a_position_without_a_proof_fails(tmp_path: Path) -> None:
    """Every leaf is declared lost, so every move of x is tried and given up."""
    proof = Proof(tmp_path, late_board(), SMALL._replace(leaf_ply=24, move_nodes=500))
    while jobs := proof.jobs(tree := proof.tree()):
        for job in jobs:
            if "leaf" in job:
                proof.log.add_leaf(job["leaf"], Leaf("loss", 1, 0))
            else:
                list(proof.run([job], 1, None))
    assert tree.failed
    first = position_of(late_board())
    assert len(proof.log.moves[core.canonical(first)[0]]) == len(proof._safe_moves(first))
    proof.close()


@pytest.mark.parametrize(
    ("moves", "options", "message"),
    [
        ("5 5", {"full": "draw"}, "x must be to move"),
        ("", {"full": "any"}, "full=draw"),
        ("1 1 1 5 5 1 1 4 4 1 1 6", {"full": "draw"}, "x must be|nothing to prove"),
    ],
)
def test_unsuitable_first_positions(
    tmp_path: Path, moves: str, options: dict[str, str], message: str
) -> None:
    board = Board("nineboard", **options)
    board.push_moves(moves)
    with pytest.raises(ValueError, match=message):
        Proof(tmp_path, board)


# --- the log -------------------------------------------------------------------------------------


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """The folder of a log with a few lines, not packed."""
    proof = Proof(tmp_path, late_board(), SMALL)
    finish(proof, 8)
    proof.log.file.close()
    return tmp_path


def read_log(folder: Path) -> ProofLog:
    proof = Proof(folder, late_board(), SMALL)
    proof.log.file.close()
    return proof.log


def test_damaged_logs_are_refused_with_the_line(log: Path) -> None:
    path = log / "run.log"
    whole = path.read_bytes()
    random = Random(1)
    for _ in range(1000):
        at = random.randrange(len(whole) - 1)
        if whole[at] == 10:  # a changed line end joins two lines: see below
            continue
        damaged = bytearray(whole)
        damaged[at] ^= 1 << random.randrange(8)
        path.write_bytes(damaged)
        line = whole.count(b"\n", 0, at) + 1
        with pytest.raises(ValueError, match=rf"line \d+: damaged|wrong kind|line {line}"):
            read_log(log)


def test_logs_of_other_proofs_and_contradictions_are_refused(log: Path) -> None:
    with pytest.raises(ValueError, match="another proof"):
        Proof(log, late_board(), SMALL._replace(move_nodes=7))
    found = read_log(log)
    first = Proof(log, late_board(), SMALL)
    position, leaf = next(iter(found.leaves.items()))
    with pytest.raises(ValueError, match="but win on another line"):
        first.log.add_leaf(position, leaf._replace(value="draw"))
    first.log.file.close()
    with pytest.raises(DamagedFile, match=f"line {len(found.lines) + 2}"):
        read_log(log)


def test_a_packed_log_has_every_line_once(log: Path) -> None:
    before = read_log(log)
    proof = Proof(log, late_board(), SMALL)
    proof.close()
    assert [path.name for path in log.iterdir()] == ["log.xz"]
    assert list(read_log(log).lines) == list(before.lines)
    packed = (log / "log.xz").read_bytes()
    for damaged in (packed[:-1], packed[:-20], packed[:40], packed + b"\0", b"", b"text"):
        (log / "log.xz").write_bytes(damaged)
        with pytest.raises(DamagedFile, match=r"log\.xz: "):
            read_log(log)


def has_begun(log: Path, process: subprocess.Popen[str]) -> bool:
    """Whether a run has written to its log, or has ended."""
    return process.poll() is not None or (log.exists() and log.read_bytes().count(b"\n") > 2)


def test_a_killed_run_loses_nothing(tmp_path: Path) -> None:
    arguments = ("prove", "nineboard", "--set", "full=draw", "--moves", LATE, "--out")
    folder = tmp_path / "proof"
    for signum in (signal.SIGKILL, signal.SIGTERM, signal.SIGKILL):
        process = start(*arguments, str(folder))
        wait_until(partial(has_begun, folder / "run.log", process))
        process.send_signal(signum)
        process.communicate(timeout=300)
    done = run(*arguments, str(folder))
    assert done.returncode == 0
    assert run(*arguments, str(tmp_path / "whole")).returncode == 0
    certificate = (folder / "nineboard.proof").read_bytes()
    assert certificate == (tmp_path / "whole/nineboard.proof").read_bytes()


# --- the command line ----------------------------------------------------------------------------


def test_prove_and_verify(tmp_path: Path) -> None:
    folder = str(tmp_path / "proof")
    where = ("--set", "full=draw", "--moves", LATE)
    unfinished = run("prove", "nineboard", *where, "--out", folder, "--time", "0.000001")
    assert unfinished.returncode == 0
    assert "not finished" in unfinished.stdout
    early = run("verify", folder)
    assert early.returncode == 2
    assert f"{folder}: the proof is not finished" in early.stderr
    done = run("prove", "nineboard", *where, "--out", folder)
    assert done.returncode == 0
    assert done.stdout.startswith("x wins: ")
    checked = run("verify", folder, "--sample", "3")
    assert checked.returncode == 0
    assert "3 of" in checked.stdout
    as_json = run("prove", "nineboard", *where, "--out", folder, "--json")
    assert '"proven": true' in as_json.stdout
    assert '"verified": true' in run("verify", folder, "--json", "--sample", "1").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("prove", "connect4", "--out", "x"),
            "no proofs of connect4; choose from nineboard, qubic",
        ),
        (("prove", "nineboard", "--out", "x", "--nodes", "5"), "--nodes is not available"),
        (("prove", "nineboard", "--out", "x", "--threads", "2"), "use --processes"),
        (("prove", "qubic", "--out", "x", "--shard", "1/2"), "--shard are for nineboard"),
        (("verify", "nonexistent"), "nonexistent: No such file"),
        (("verify", "."), "nineboard.proof: No such file"),
        (("verify", "x", "--sample", "many"), "--sample"),
    ],
)
def test_bad_arguments(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert not list(tmp_path.iterdir())
