"""Certificates of nine-board proofs, the solver's book, and `proof/check.c`, an independent checker
of certificates with its own rules, symmetries and solver."""

import hashlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from support import nineboard_check
from support.nineboard_proof import LATE, late_board, random_boards, small_certificate
from ttt import Board, Engine, Limit
from ttt.proofs.verification import sample_leaves, solve_again
from ttt.solvers import nineboard as nineboard_solver
from ttt.solvers.certificate import (
    HEADER,
    SHIPPED,
    BadCertificate,
    Certificate,
    Record,
    board_of,
    position_of,
    shipped,
)
from ttt.solvers.nineboard import NineboardSolver
from ttt_core.solvers.nineboard import solver as core

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "tests/proof/check.c"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return small_certificate(tmp_path_factory.mktemp("small"))


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


def test_its_shards_cover_all_leaves_once(
    checker: Path, small: Certificate, tmp_path: Path
) -> None:
    small.save(tmp_path / "file")
    counts = []
    for shard in ("1/3", "2/3", "3/3"):
        status, output = check(checker, tmp_path / "file", "--solve", "all", "--shard", shard)
        assert status == 0
        counts.append(int(output.splitlines()[-1].split()[0]))
    assert sum(counts) == len(small.leaves())
    assert max(counts) - min(counts) <= 1
    for shard in ("0/3", "4/3", "1"):
        status, _ = check(checker, tmp_path / "file", "--solve", "all", "--shard", shard)
        assert status == 2


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


def test_a_free_choice_after_the_first_move_is_not_in_the_book(book: Certificate) -> None:
    """Only full=any knows it."""
    boards = ["xoxxoooxx", "oxooxxxo.", "xoxoo.oxo", "o........", "x........", "x........"]
    board = Board.parse(f"nineboard {'/'.join(boards + ['.' * 9] * 3)} x *")
    assert book.find(board) is None
    assert NineboardSolver(1).solve(board, nodes=1).value == "unknown"


def test_losses_in_two_plies_are_not_answered_from_the_book(book: Certificate) -> None:
    boards = ["xx.o....o"] * 8 + ["xx.o....."]
    found = NineboardSolver(1).solve(Board.parse(f"nineboard {'/'.join(boards)} o 1"))
    assert (found.value, found.plies) == ("loss", 2)


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


# --- the shipped proof ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def proof() -> Certificate:
    found = shipped()
    assert found is not None
    return found


def test_the_shipped_proof_is_whole(checker: Path, proof: Certificate) -> None:
    assert SHIPPED.read_bytes() == (ROOT / "proofs/nineboard/nineboard.proof").read_bytes()
    assert proof.first == position_of(Board("nineboard", full="draw"))
    assert proof.conditions == nineboard_solver.conditions(64)
    proof.check_tree()
    leaves = proof.leaves()
    inner = len(proof.records) - len(leaves)
    assert (inner, len(leaves)) == (6639, 42945)
    list(solve_again(proof, sample_leaves(leaves, 2, 1)))
    status, output = check(checker, SHIPPED, "--solve", "2")
    assert status == 0
    assert f"{inner} moves of x, {len(leaves)} leaves: every reply of o is answered" in output
    assert "2 leaves solved again: 2 won, 0 open" in output


def test_one_changed_move_in_the_shipped_proof_is_refused(
    checker: Path, proof: Certificate, tmp_path: Path
) -> None:
    random = Random(1)
    positions = [position for level in proof.levels() for position in level]
    for _ in range(10):
        i = random.randrange(6639)
        while proof.records[i].nodes is not None:
            i += 1
        record = proof.records[i]
        others = [m.number for m in board_of(positions[i]).safe_moves() if m.number != record.move]
        changed_record = record._replace(move=random.choice(others))
        records = [*proof.records[:i], changed_record, *proof.records[i + 1 :]]
        changed_proof = Certificate(proof.first, proof.conditions, records)
        with pytest.raises(BadCertificate):
            changed_proof.check_tree()
        changed_proof.save(tmp_path / "bad")
        status, output = check(checker, tmp_path / "bad")
        assert (status, output.splitlines()[-1][:9]) == (1, "refused: ")


@pytest.mark.parametrize("full", ["draw", "any"])
def test_the_shipped_proof_answers_the_first_position(full: str) -> None:
    board = Board("nineboard", full=full)
    engine = Engine("nineboard", hash=1, full=full)
    assert engine.solve(board, nodes=1000, no_book=True).value == "unknown"
    found = engine.search(board, nodes=1)
    assert (found.move, found.verdict(), found.proven) == ("5 5", "win", True)
    solution = engine.solve(board)
    assert (solution.value, solution.move, solution.nodes) == ("win", "5 5", 0)
