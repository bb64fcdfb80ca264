"""Proofs of nine-board: the tree, the log, the certificate, and `proof/check.c`, an independent
checker of certificates with its own rules, symmetries and solver."""

import hashlib
import shutil
import signal
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random

import pytest

from support import nineboard_check
from support.commands import start
from support.inprocess import run
from support.processes import wait_until
from ttt import Board, Engine, Limit
from ttt.proofs.log import Leaf, ProofLog
from ttt.proofs.nineboard import Proof, Settings, Tree
from ttt.proofs.verification import sample_leaves, solve_again
from ttt.solvers import nineboard as nineboard_solver
from ttt.solvers.certificate import (
    HEADER,
    BadCertificate,
    Certificate,
    Record,
    board_of,
    position_of,
)
from ttt.solvers.nineboard import NineboardSolver
from ttt.storage.lines import DamagedFile
from ttt_core.errors import BadNotation
from ttt_core.solvers.nineboard import solver as core

SOURCE = Path(__file__).parent / "proof/check.c"
LATE = "86 62 28 84 42 27 74 46 61 18 88 82 21 14 49 95 56 63 32 25 59 97"
"""Moves to a position that x wins; its proof with leaves at ply 26 has some twenty leaves."""
SMALL = Settings(leaf_ply=26, leaf_nodes=(200_000, 400_000), move_nodes=5_000)


def late_board() -> Board:
    board = Board("nineboard", full="draw")
    board.push_moves(LATE)
    return board


def finish(proof: Proof, most: int | None = None) -> Tree:
    """Runs a proof in this process until it is complete, or until `most` jobs are done."""
    done = 0
    while jobs := proof.jobs(tree := proof.tree()):
        for _ in proof.run(jobs, 1, None):
            done += 1
            if done == most:
                return proof.tree()
    return tree


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    proof = Proof(tmp_path_factory.mktemp("small"), late_board(), SMALL)
    found = proof.certificate(finish(proof))
    proof.close()
    return found


def random_boards(count: int, seed: int, plies: tuple[int, int]) -> list[Board]:
    """Running games under full=draw with a board in force and nobody winning at once."""
    random = Random(seed)
    found: list[Board] = []
    while len(found) < count:
        board = Board("nineboard", full="draw")
        for _ in range(random.randint(*plies)):
            moves = board.safe_moves()
            if not moves or board.is_game_over():
                break
            board.push(random.choice(moves))
        if (
            board.ply >= plies[0]
            and board.safe_moves()
            and not any(map(board.is_legal, board.wins()))
        ):
            found.append(board)
    return found


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
    for _ in range(300):
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


# --- certificates --------------------------------------------------------------------------------


def test_certificates_are_read_as_written(small: Certificate, tmp_path: Path) -> None:
    small.save(tmp_path / "file")
    found = Certificate.load(tmp_path / "file")
    assert (found.first, found.conditions, found.records) == (
        small.first,
        small.conditions,
        small.records,
    )


def test_damaged_certificates_are_refused(small: Certificate, tmp_path: Path) -> None:
    path = tmp_path / "file"
    small.save(path)
    whole = path.read_bytes()
    for at in range(len(whole)):
        for bit in (1, 128):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1 :])
            with pytest.raises(BadCertificate):
                Certificate.load(path)
        path.write_bytes(whole[:at])
        with pytest.raises(BadCertificate):
            Certificate.load(path)


def changed(small: Certificate) -> Iterator[tuple[str, Certificate]]:
    """Certificates that prove nothing, with a name each."""
    records = small.records
    leaf = next(i for i, record in enumerate(records) if record.nodes is not None)

    def made(*changes: Record) -> Certificate:
        return Certificate(small.first, small.conditions, changes)

    yield "missing record", made(*records[:-1])
    yield "extra record", made(*records, records[-1])
    yield "illegal move", made(records[0]._replace(move=(records[0].move + 9) % 81), *records[1:])
    yield "no such move", made(records[0]._replace(move=90), *records[1:])
    yield "leaf in the tree", made(records[0]._replace(nodes=5), *records[1:])
    yield (
        "tree in a leaf",
        made(*records[:leaf], records[leaf]._replace(nodes=None), *records[leaf + 1 :]),
    )
    first = board_of(core.canonical(small.first)[0])
    for move in first.legal_moves:
        if move.number != records[0].move:
            yield (
                f"another move, {move}",
                made(records[0]._replace(move=move.number), *records[1:]),
            )


def test_changed_trees_are_refused(small: Certificate) -> None:
    names = []
    for name, certificate in changed(small):
        with pytest.raises(BadCertificate):
            certificate.check_tree()
        names.append(name)
    assert len(names) >= 8


def test_changed_leaves_are_refused(small: Certificate) -> None:
    position, record = small.leaves()[0]
    assert record.nodes is not None
    for other in (
        record._replace(nodes=record.nodes - 1),
        record._replace(nodes=record.nodes + 1),
        record._replace(move=(record.move + 1) % 81),
    ):
        with pytest.raises(BadCertificate):
            list(solve_again(small, [(position, other)]))


def test_samples_are_random_and_distinct(small: Certificate) -> None:
    leaves = small.leaves()
    found = sample_leaves(leaves, 5, 1)
    assert len({position for position, _ in found}) == 5
    assert found == sample_leaves(leaves, 5, 1) != sample_leaves(leaves, 5, 2)
    assert sample_leaves(leaves, None, 1) == leaves


# --- the independent checker ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    program = tmp_path_factory.mktemp("proof") / "check"
    flags = ["-O2", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["cc", *flags, "-o", program, SOURCE, "-lm"], check=True)
    return program


def check(checker: Path, *arguments: str | Path) -> tuple[int, str]:
    done = subprocess.run([checker, *arguments], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout


def test_its_solver_agrees_with_ours(checker: Path, tmp_path: Path) -> None:
    boards = random_boards(60, 1, (24, 40))
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


def test_it_accepts_a_proof(checker: Path, small: Certificate, tmp_path: Path) -> None:
    small.save(tmp_path / "file")
    status, output = check(checker, tmp_path / "file", "--solve", "all")
    inner = sum(record.nodes is None for record in small.records)
    leaves = len(small.records) - inner
    assert status == 0
    walked, solved = output.splitlines()[-2:]
    assert walked == f"{inner} moves of x, {leaves} leaves: every reply of o is answered"
    assert solved.startswith(f"{leaves} leaves solved again: {leaves} won, 0 open")


def test_it_refuses_changed_trees(checker: Path, small: Certificate, tmp_path: Path) -> None:
    for name, certificate in changed(small):
        certificate.save(tmp_path / "bad")
        status, output = check(checker, tmp_path / "bad")
        assert status == 1, name
        assert output.splitlines()[-1].startswith("refused: "), name


def test_it_refuses_a_move_that_lets_o_win_at_once(checker: Path, tmp_path: Path) -> None:
    conditions = nineboard_solver.conditions(64)
    losing = 0
    for board in random_boards(60, 5, (12, 16)):
        if board.turn == "o":
            continue
        first = board_of(core.canonical(position_of(board))[0])
        safe = first.safe_moves()
        for move in first.legal_moves:
            if move in safe:
                continue
            records = [Record(move.number, 5)]
            Certificate(position_of(first), conditions, records).save(tmp_path / "bad")
            status, output = check(checker, tmp_path / "bad")
            assert status == 1
            assert "refused: a move of x lets o win at once" in output
            losing += 1
    assert losing > 3


def test_it_refuses_a_losing_leaf(checker: Path, small: Certificate, tmp_path: Path) -> None:
    """A leaf whose move is safe but does not win is found by solving it."""
    solver = NineboardSolver(8, full="draw")
    for number, (position, record) in enumerate(small.leaves()):
        board = board_of(position)
        for move in board.safe_moves():
            after = board.copy()
            after.push(move)
            if move.number != record.move and solver.solve(after).value != "loss":
                break
        else:
            continue
        first = len(small.records) - len(small.leaves())
        records = list(small.records)
        records[first + number] = record._replace(move=move.number)
        Certificate(small.first, small.conditions, records).save(tmp_path / "bad")
        assert check(checker, tmp_path / "bad")[0] == 0
        status, output = check(checker, tmp_path / "bad", "--solve", "all")
        assert status == 1
        assert "refused: x does not win this leaf by its move" in output
        return
    pytest.fail("no leaf has a safe move that does not win")


def test_it_refuses_damage_and_wrong_positions(
    checker: Path, small: Certificate, tmp_path: Path
) -> None:
    small.save(tmp_path / "good")
    whole = (tmp_path / "good").read_bytes()
    for at in range(0, len(whole), 7):
        (tmp_path / "bad").write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert check(checker, tmp_path / "bad")[0] == 1, at
    for first in ("x" + small.first[1:], small.first[:81] + "*", small.first[:81] + "0"):
        body = bytearray(whole[:-32])
        body[HEADER.size - 86 : HEADER.size - 4] = first.encode()
        (tmp_path / "bad").write_bytes(bytes(body) + hashlib.sha256(body).digest())
        assert check(checker, tmp_path / "bad") == (1, "refused: an impossible first position\n")


# --- the solver's book ---------------------------------------------------------------------------


@pytest.fixture
def book(small: Certificate, monkeypatch: pytest.MonkeyPatch) -> Certificate:
    monkeypatch.setattr(nineboard_solver, "shipped", lambda: small)
    return small


@pytest.mark.parametrize("full", ["draw", "any"])
def test_the_solver_answers_from_the_book(book: Certificate, full: str) -> None:
    solver = NineboardSolver(1, full=full)
    board = Board("nineboard", full=full)
    board.push_moves(LATE)
    found = solver.solve(board, nodes=1)
    assert (found.value, found.nodes) == ("win", 0)
    assert found.move is not None
    record = book.find(board)
    assert record is not None
    assert found.move.number == record.move
    for image in board.symmetries():
        answer = solver.solve(image, nodes=1)
        assert answer.value == "win"
        assert answer.move is not None
        after, expected = image.copy(), board.copy()
        after.push(answer.move)
        expected.push(found.move)
        assert after in expected.symmetries()
    assert solver.solve(board, nodes=1, no_book=True).value == "unknown"
    board.push(found.move)
    lost = solver.solve(board, nodes=1)
    assert (lost.value, lost.nodes) == ("loss", 0)
    other = Board("nineboard", full=full)
    other.push_moves(LATE)
    other.push(next(move for move in other.safe_moves() if move != found.move))
    assert solver.solve(other, nodes=1).value == "unknown"


def test_the_engine_wins_with_the_book(book: Certificate) -> None:
    """From the first position of the book, against random replies."""
    engine = Engine("nineboard", hash=1, full="draw")
    for seed in range(6):
        random = Random(seed)
        board = late_board()
        while not board.is_game_over():
            found = engine.search(board, nodes=400_000)
            assert found.proven
            assert found.score.value == "win"
            assert found.move is not None
            board.push(found.move)
            if not board.is_game_over():
                board.push(random.choice(list(board.legal_moves)))
        assert board.result() == "1-0"


def test_a_win_is_expected_after_a_move_of_the_book(book: Certificate) -> None:
    solver = NineboardSolver(1, full="draw")
    board = late_board()
    assert not solver.expects_win(board)
    while (record := book.find(board)) is not None:
        board.push(board.ruleset.moves[record.move])
        board.push(board.legal_moves[0])
        assert solver.expects_win(board)
        assert NineboardSolver.worth_asking(board, Limit())
    assert board.ply >= 26


# --- the command line ----------------------------------------------------------------------------


def test_prove_and_verify(tmp_path: Path) -> None:
    folder = str(tmp_path / "proof")
    where = ("--set", "full=draw", "--moves", LATE)
    unfinished = run("prove", "nineboard", *where, "--out", folder, "--time", "0.000001")
    assert unfinished.returncode == 0
    assert "not finished" in unfinished.stdout
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
