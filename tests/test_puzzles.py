"""The shipped puzzles: the file, proofs by independent searches, and attempts to solve one."""

import hashlib
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from support.puzzles import OutOfNodes, SlowProof, slow_copy
from ttt import Board, Engine, Move
from ttt.puzzles.collection import (
    FORMAT,
    GRADES,
    PATH,
    BadPuzzles,
    Puzzle,
    attempt,
    find_shipped,
    grade_of,
    parse_puzzles,
    shipped_puzzles,
    write_puzzles,
)
from ttt.puzzles.search import PuzzleFinder, immediate_wins
from ttt.registry import games

FORK = Puzzle(2, 3, ("5", "7", "8"), "tictactoe oxx/..o/... x")
"""Column 2 5 8 and diagonal 3 5 7 at once."""


def by_game(game: str) -> list[Puzzle]:
    return [puzzle for puzzle in shipped_puzzles() if puzzle.game == game]


# --- the file ------------------------------------------------------------------------------------


def test_every_game_has_puzzles_of_several_grades() -> None:
    for game in games():
        grades = Counter(puzzle.grade for puzzle in by_game(game))
        assert 10 <= sum(grades.values()) <= 40, game
        assert len(grades) >= 3, game


def test_the_file_is_small_and_repeats_nothing() -> None:
    puzzles = shipped_puzzles()
    with open(PATH, "rb") as file:
        content = file.read()
    assert len(content) < 60_000
    assert write_puzzles(reversed(puzzles)) == content
    assert len({puzzle.id for puzzle in puzzles}) == len(puzzles)
    images = [min(board.text() for board in puzzle.board().symmetries()) for puzzle in puzzles]
    assert len(set(images)) == len(images)


def test_only_the_first_grade_has_immediate_wins() -> None:
    for puzzle in shipped_puzzles():
        wins = immediate_wins(puzzle.board())
        assert wins == ([puzzle.move] if puzzle.grade == 1 else []), puzzle


def test_grades() -> None:
    assert [grade_of(plies) for plies in (1, 3, 5, 7, 11, 13, 41)] == [1, 2, 3, 4, 4, 5, 5]
    assert grade_of(10**6) == GRADES


def content_of(*lines: str) -> bytes:
    """A file with a valid checksum."""
    body = "".join(f"{line}\n" for line in lines).encode()
    return f"{FORMAT} {hashlib.sha256(body).hexdigest()}\n".encode() + body


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("2\t3\t5,7,8", "line 2"),
        ("x\t3\t5,7,8\ttictactoe oxx/..o/... x", "line 2"),
        ("3\t3\t5,7,8\ttictactoe oxx/..o/... x", "grade 3: expected 2"),
        ("2\t4\t5,7,8\ttictactoe oxx/..o/... x", "4 plies do not fit"),
        ("1\t1\t5,7,8\ttictactoe oxx/..o/... x", "1 plies do not fit"),
        ("2\t3\t5,7\ttictactoe oxx/..o/... x", "does not end with a move of the solver"),
        ("2\t3\t5,5,8\ttictactoe oxx/..o/... x", "5 cannot be played"),
        ("2\t3\t\ttictactoe oxx/..o/... x", "does not end with a move of the solver"),
        ("2\t3\t5,7,10\ttictactoe oxx/..o/... x", "'10'"),
        ("2\t3\t5,7,8\ttictactoe oxx/..o/... o", "side to move 'o'"),
        ("2\t3\t5,7,8\tTICTACTOE x.o/.o./..x x", "write tictactoe"),
        ("2\t3\t5,7,8\tchess x.o/.o./..x x", "unknown game 'chess'"),
        ("1\t1\t6\ttictactoe xox/oo./xxo x", "does not win for x"),
    ],
)
def test_damaged_puzzles_are_refused(line: str, reason: str) -> None:
    with pytest.raises(BadPuzzles, match="puzzles, line 2: ") as caught:
        parse_puzzles(content_of(line))
    assert reason in str(caught.value)


def test_damaged_files_are_refused() -> None:
    content = write_puzzles([FORK])
    assert parse_puzzles(content) == [FORK]
    for damaged in (b"", content[:-1], content + b"\n", content.replace(b"5,7,8", b"5,8,7")):
        with pytest.raises(BadPuzzles, match="wrong format or checksum"):
            parse_puzzles(damaged)
    with pytest.raises(BadPuzzles, match="line 2"):
        parse_puzzles(content_of("\ufffd"))


# --- proofs --------------------------------------------------------------------------------------


def wins_by_slow_rules(board: Board, move: str, plies: int, nodes: int) -> bool:
    """Whether a move wins in so many plies and nothing wins in fewer."""
    proof = SlowProof(nodes)
    position = slow_copy(board)
    position.play(board.parse_move(move).number)
    outcome = position.outcome()
    if outcome is not None:
        return plies == 1 and outcome[0] == board.turn
    shorter = plies > 1 and proof.wins_within(slow_copy(board), plies - 2)
    return not shorter and proof.loses_within(position, plies - 1)


def loses_by_slow_rules(after: Board, nodes: int) -> bool:
    position = slow_copy(after)
    outcome = position.outcome()
    if outcome is not None:
        return outcome[0] not in (None, position.turn)
    return SlowProof(nodes).loses(position)


def after(board: Board, *moves: str) -> Board:
    found = board.copy()
    found.push_moves(moves)
    return found


def claims(puzzle: Puzzle) -> list[tuple[Board, Move]]:
    """The positions of the line in which exactly one move wins, with that move. The last position
    is left out if the game ends there: several moves may win then."""
    found = []
    board = puzzle.board()
    for index, move in enumerate(puzzle.line):
        last_of_several = index > 0 and move in immediate_wins(board)
        if index % 2 == 0 and not last_of_several:
            found.append((board.copy(), board.parse_move(move)))
        board.push(move)
    return found


def test_tictactoe_by_the_slow_rules() -> None:
    """Every claim of every puzzle, to the end of the game."""
    for puzzle in by_game("tictactoe"):
        assert wins_by_slow_rules(puzzle.board(), puzzle.move, puzzle.plies, 10**6), puzzle
        for board, move in claims(puzzle):
            for other in board.legal_moves:
                lost = loses_by_slow_rules(after(board, other), 10**6)
                assert lost == (other == move), (puzzle, board, other)


@pytest.mark.parametrize("game", games())
def test_short_wins_by_the_slow_rules(game: str) -> None:
    """Wins in one and in three plies, and that there is no other of that length."""
    short = [puzzle for puzzle in by_game(game) if puzzle.plies <= 3]
    for puzzle in short[::2]:
        board = puzzle.board()
        try:
            assert wins_by_slow_rules(board, puzzle.move, puzzle.plies, 2000), puzzle
        except OutOfNodes:
            assert game == "qubic"
        for other in board.legal_moves:
            if other != puzzle.move:
                position = slow_copy(after(board, other))
                assert not SlowProof(10**6).loses_within(position, 2), (puzzle, other)


def other_search(game: str) -> Callable[[Board], str | None]:
    """The value of a position for the side to move by a search that did not make the puzzles: the
    engine without reductions, and the game's solver without its book; None if not proven."""
    engines: dict[str, Engine] = {}

    def value(board: Board) -> str | None:
        if board.is_game_over():
            return {1: "win", 0: "draw", -1: "loss", None: None}[board.outcome_value()]
        options = str(board.options)
        if options not in engines:
            engines[options] = Engine(game, hash=32, reduce=False, solver=False, **board.options)
        engine = engines[options]
        engine.clear()
        found = engine.search(board, nodes=1_000_000)
        if found.proven:
            return found.score.value or "draw"
        if not engine.has_own_solver(board):
            return None
        book: dict[str, Any] = {"no_book": True} if "no_book" in engine.solver.settings() else {}
        solution = engine.solver.solve(board, nodes=2_000_000, **book)
        return solution.value if solution.proven else None

    return value


@pytest.mark.slow
@pytest.mark.parametrize("game", games())
def test_every_puzzle_by_another_search(game: str) -> None:
    """At each step of each solution one move wins and all others are proven not to win."""
    value = other_search(game)
    asked = proven = 0
    for puzzle in by_game(game):
        for board, move in claims(puzzle):
            for other in board.legal_moves:
                found = value(after(board, other))
                asked += 1
                proven += found is not None
                assert found is None or (found == "loss") == (other == move), (puzzle, other, found)
    assert proven >= 0.98 * asked, f"{proven} of {asked} moves decided"


@pytest.mark.slow
@pytest.mark.parametrize("game", ["tictactoe", "mnk", "connect4", "ultimate", "nineboard"])
def test_plies_by_exhaustive_search(game: str) -> None:
    """Wins of at most seven plies are as short as the puzzle says, and all moves of the line after
    them are the shortest win and the longest defence."""
    checked = 0
    for puzzle in by_game(game):
        board = puzzle.board()
        with Engine(game, selective=False, solver=False, **board.options) as engine:
            left = puzzle.plies
            if left > 7:
                continue
            found = engine.search(board, depth=left, moves=[puzzle.move])
            assert found.score.win_in == left, puzzle
            for reply in after(board, puzzle.move).legal_moves if left > 1 else ():
                engine.clear()
                position = after(board, puzzle.move, reply)
                assert engine.search(position, depth=left - 2).score.win_in is not None, puzzle
            checked += 1
    assert checked >= 4


# --- making puzzles ------------------------------------------------------------------------------


def test_the_finder_proves_what_it_finds() -> None:
    finder = PuzzleFinder(Board("tictactoe"))
    found = finder.find(FORK.board())
    assert found is not None
    assert (found.grade, found.plies, found.move) == (2, 3, "5")
    assert attempt(found, found.line).solved


@pytest.mark.parametrize(
    "position",
    [
        "tictactoe .../.../... x",  # a draw
        "tictactoe xx./.oo/x.o x",  # two moves win
        "tictactoe xox/oox/xxo o",  # over
        "tictactoe xox/xxo/o.. o",  # two legal moves
        "tictactoe x.o/.o./..x x",  # the only move that does not lose at once
    ],
)
def test_other_positions_are_no_puzzles(position: str) -> None:
    assert PuzzleFinder(Board("tictactoe")).find(Board.parse(position)) is None


def test_the_finder_repeats_itself() -> None:
    puzzle = by_game("connect4")[0]
    finder = PuzzleFinder(Board("connect4"))
    assert finder.find(puzzle.board()) == puzzle
    assert finder.find(puzzle.board()) == puzzle


# --- attempts ------------------------------------------------------------------------------------


def test_attempts() -> None:
    first = attempt(FORK, ["5"])
    assert (first.correct, first.solved, first.reply) == (True, False, "7")
    assert first.board.moves == ["5", "7"]
    assert attempt(FORK, ["5", "7", "8"]).solved
    wrong = attempt(FORK, ["4"])
    assert (wrong.correct, wrong.solved, wrong.reply) == (False, False, None)


def test_any_move_that_wins_at_once_solves_a_puzzle() -> None:
    puzzle = Puzzle(2, 3, ("5", "9", "8"), FORK.position)
    assert attempt(puzzle, ["5", "9", "7"]).solved
    assert attempt(puzzle, ["5", "9", "8"]).solved
    assert not attempt(puzzle, ["5", "9", "4"]).correct


@pytest.mark.parametrize(
    ("moves", "reason"),
    [
        ([], "no move to judge"),
        (["5", "7"], "no move to judge"),
        (["5", "8", "7"], "not those of the solution"),
        (["5", "7", "8", "4", "9"], "the solution has 3"),
        (["1"], "cannot be played"),
        (["10"], "is not a move"),
    ],
)
def test_bad_attempts(moves: list[str], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        attempt(FORK, moves)


def test_every_solution_can_be_played() -> None:
    for puzzle in shipped_puzzles():
        played: list[str] = []
        while True:
            played.append(puzzle.line[len(played)])
            found = attempt(puzzle, played)
            assert found.correct
            if found.solved:
                break
            assert found.reply is not None
            played.append(found.reply)
        assert tuple(played) == puzzle.line
        assert find_shipped(puzzle.id) == puzzle


def test_unknown_puzzles() -> None:
    with pytest.raises(ValueError, match="unknown puzzle 'x'"):
        find_shipped("x")
