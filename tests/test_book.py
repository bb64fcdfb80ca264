"""Opening books of Connect Four: against a search by the rules alone on a small board, and against
the solver without a book on a larger one."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from support.inprocess import run
from support.reference import reference
from ttt import Board, Engine
from ttt.proofs.book import BookBuilder, check_book, layers
from ttt.solvers.book import ENTRY, HEADER, BadBook, Book
from ttt.solvers.connect4 import Connect4Solver

SMALL: Any = {"columns": 4, "rows": 4}


def build(path: Path, plies: int, columns: int = 7, rows: int = 6, processes: int = 1) -> Book:
    builder = BookBuilder(str(path), plies, columns, rows)
    try:
        for _ in builder.run(processes):
            pass
        return builder.finish()
    finally:
        builder.close()


@cache
def slow_score(marks: str, turn: str) -> int:
    """The score of a running game on the small board, by the slow rules."""
    slow = reference("connect4", **SMALL)
    best = -99
    slow.marks, slow.turn = list(marks), turn
    for move in list(slow.legal()):
        slow.marks, slow.turn = list(marks), turn
        slow.play(move)
        outcome = slow.outcome()
        if outcome is None:
            best = max(best, -slow_score("".join(slow.marks), slow.turn))
        elif outcome[0] is None:
            best = max(best, 0)
        else:
            best = max(best, (len(marks) - (len(marks) - marks.count(".")) + 1) // 2)
    return best


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("book") / "small.book"
    build(path, 5, **SMALL)
    return path


def test_scores_are_true(small: Path) -> None:
    book = Book.load(small)
    found = [board for layer in layers(Board("connect4", **SMALL), 5) for board in layer.values()]
    assert len(book) == len(found) > 300
    assert {0, 1} < {abs(slow_score(board.marks, board.turn)) for board in found}
    for board in found:
        assert book.find(board) == book.find(board.mirror()) == slow_score(board.marks, board.turn)
    board = found[-1].copy()
    board.push(board.legal_moves[0])
    assert book.find(board) is None


def test_a_larger_book_agrees_with_the_solver(tmp_path: Path) -> None:
    book = build(tmp_path / "larger.book", 4, 5, 4, processes=2)
    solver = Connect4Solver(columns=5, rows=4)
    for layer in layers(book.start(), 4):
        for board in layer.values():
            assert solver.solve(board).game_score == book.find(board)


def test_the_engine_answers_from_the_book(small: Path) -> None:
    board = Board("connect4", **SMALL)
    plain = Engine("connect4", hash=1, **SMALL)
    with Engine("connect4", hash=1, book=str(small), **SMALL) as engine:
        for moves in ("", "1", "12", "123", "1234", "12341"):
            board.reset()
            board.push_moves(moves)
            found, expected = engine.solve(board), plain.solve(board)
            assert (found.value, found.game_score, found.best, found.plies) == (
                expected.value,
                expected.game_score,
                expected.best,
                expected.plies,
            )
            if board.ply < 5:
                assert found.nodes == 0
            weak = engine.solve(board, weak=True)
            assert (weak.value, weak.best) == (expected.value, plain.solve(board, weak=True).best)
            assert engine.search(board, nodes=2_000).proven


def test_wrong_books_are_refused(small: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="book for 4x4, not for 7x6"):
        Engine("connect4", book=str(small))
    with pytest.raises(ValueError, match="books are not available for qubic"):
        Engine("qubic", book=str(small))
    whole = small.read_bytes()
    path = tmp_path / "bad"
    for at in [*range(HEADER.size), *range(HEADER.size, len(whole), 41)]:
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        with pytest.raises(BadBook, match="bad: "):
            Book.load(path)
        path.write_bytes(whole[:at])
        with pytest.raises(BadBook, match="bad: "):
            Book.load(path)


def test_wrong_scores_are_found(small: Path) -> None:
    good = Book.load(small)
    assert len(list(check_book(good, None))) > 200
    changed = 0
    for number in range(0, len(good), 37):
        at = ENTRY.size * number
        key, score = ENTRY.unpack(good.entries[at : at + ENTRY.size])
        entries = good.entries[:at] + ENTRY.pack(key, score + 1) + good.entries[at + ENTRY.size :]
        with pytest.raises(BadBook):
            list(check_book(Book(4, 4, 5, entries), None))
        changed += 1
    short = Book(4, 4, 5, good.entries[: -ENTRY.size])
    with pytest.raises(BadBook, match="does not have"):
        list(check_book(short, 1))
    assert changed > 5


def test_a_stopped_build_resumes(small: Path, tmp_path: Path) -> None:
    path = tmp_path / "again.book"
    builder = BookBuilder(str(path), 5, **SMALL)
    chunks = len(builder.chunks)
    next(builder.run())
    builder.close()
    builder = BookBuilder(str(path), 5, **SMALL)
    assert len(builder.missing()) == chunks - 1
    for _ in builder.run():
        pass
    builder.finish()
    builder.close()
    assert path.read_bytes() == small.read_bytes()
    assert [entry.name for entry in tmp_path.iterdir()] == ["again.book"]
    BookBuilder(str(path), 4, **SMALL).close()
    with pytest.raises(ValueError, match="another book"):
        BookBuilder(str(path), 5, **SMALL)


def test_the_commands(small: Path, tmp_path: Path) -> None:
    path = tmp_path / "b"
    board = ("--set", "columns=4", "--set", "rows=4")
    done = run("book", "connect4", *board, "--plies", "5", "--out", str(path), "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["positions"] == len(Book.load(small))
    assert path.read_bytes() == small.read_bytes()
    checked = run("verify", str(path), "--sample", "7")
    assert checked.returncode == 0
    assert "7 solved again" in checked.stdout
    solved = run("solve", "connect4", *board, "--book", str(path), "--json")
    assert json.loads(solved.stdout)["nodes"] == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["qubic"], "books are available for connect4"),
        (["connect4", "--set", "connect=3"], "connect=4"),
        (["connect4", "--plies", "0"], "plies=0: expected 1 to 12"),
        (["connect4", "--plies", "13"], "plies=13: expected 1 to 12"),
    ],
)
def test_bad_arguments(arguments: list[str], words: str, tmp_path: Path) -> None:
    done = run("book", *arguments, "--out", str(tmp_path / "b"))
    assert done.returncode == 2
    assert words in done.stderr
    (tmp_path / "b").write_text("mine")
    done = run("book", "connect4", "--out", str(tmp_path / "b"))
    assert done.returncode == 2
    assert "refusing to overwrite" in done.stderr
