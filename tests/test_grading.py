"""`ttt grade`: values against a search by the rules alone, and the statistics by hand."""

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from support.inprocess import run
from support.tictactoe import values
from ttt import Board, Engine, games
from ttt.grading.grade import (
    StageGrade,
    grade_player,
    make_positions,
    mean_of,
    share_of,
    summarise,
)
from ttt.grading.picture import draw
from ttt.grading.positions import STAGES, GradedPosition, values_of


@pytest.fixture(scope="module")
def positions() -> list[GradedPosition]:
    return sorted(make_positions("tictactoe", {}, 12, seed=3))


def true_values(board: Board) -> dict[str, float]:
    """The value of each move, 1, 0.5 or 0, by the rules alone."""
    return {
        str(board.ruleset.moves[number]): 1.0 if value > 0 else 0.0 if value < 0 else 0.5
        for number, value in values(board).items()
    }


def board_of(position: GradedPosition) -> Board:
    board = Board("tictactoe")
    board.push_moves(position.moves)
    return board


def test_values_are_true(positions: list[GradedPosition]) -> None:
    assert {position.stage for position in positions} == set(STAGES)
    for position in positions:
        assert position.exact
        true = true_values(board_of(position))
        assert {value.move for value in position.values} == true.keys()
        best = max(true.values())
        for value in position.values:
            assert value.chance == true[value.move]
            assert value.keeps == (true[value.move] == best)
            assert value.keeps or value.rank > 0
        assert not all(value.keeps for value in position.values)


def test_ranks_prefer_quick_wins() -> None:
    board = Board("tictactoe")
    board.push_moves("1 4 2 7")
    found, exact = values_of(board, Engine("tictactoe", hash=1), 100_000)
    assert exact
    assert (found[0].move, found[0].rank) == ("3", 0)
    assert all(value.rank > 0 for value in found[1:])


def test_positions_are_distinct_and_reproducible(positions: list[GradedPosition]) -> None:
    keys = set()
    for position in positions:
        keys.add(min(image.text() for image in board_of(position).symmetries()))
    assert len(keys) == len(positions)
    assert sorted(make_positions("tictactoe", {}, 12, seed=3, processes=2)) == positions
    assert sorted(make_positions("tictactoe", {}, 12, seed=4)) != positions


@pytest.mark.parametrize("game", games())
def test_every_game_can_be_graded(game: str) -> None:
    found = list(make_positions(game, Board(game).options, 1, seed=1, nodes=3_000))
    assert found
    answers = grade_player(game, "random", found)
    assert len(answers) == len(found)
    assert all(answer.error is None for answer in answers)


def test_a_perfect_player_and_a_hopeless_one(positions: list[GradedPosition]) -> None:
    perfect = summarise(grade_player("tictactoe", "engine:depth=9", positions))
    assert [grade.stage for grade in perfect] == [*STAGES, "all"]
    assert all(grade.kept.share == 1 and grade.loss.mean == 0 for grade in perfect)

    class Worst:
        """Takes the move with the worst value."""

        def choose(self, board: Board) -> str:
            found = true_values(board)
            return min(found, key=lambda move: found[move])

    worst = summarise(grade_player("tictactoe", Worst(), positions))[-1]
    assert summarise(grade_player("tictactoe", Worst().choose, positions))[-1] == worst
    assert worst.kept.share == worst.best.share == 0
    losses = []
    for position in positions:
        found = true_values(board_of(position)).values()
        losses.append(max(found) - min(found))
    assert worst.loss.mean == pytest.approx(sum(losses) / len(losses))


def test_errors_count_as_the_worst_move(positions: list[GradedPosition]) -> None:
    class Broken:
        def __init__(self, answer: Any) -> None:
            self.answer = answer

        def choose(self, board: Board) -> Any:
            if isinstance(self.answer, Exception):
                raise self.answer
            return self.answer

    for answer, words in (
        (KeyError("x"), "exception: KeyError"),
        ("99", "illegal"),
        (7, "illegal"),
    ):
        answers = grade_player("tictactoe", Broken(answer), positions)
        assert all(found.error and found.error.startswith(words) for found in answers)
        grade = summarise(answers)[-1]
        assert grade.errors == len(positions)
        assert grade.kept.share == 0
        assert grade.loss.mean > 0


def test_intervals() -> None:
    """Wilson's interval of 8 of 10 is 0.490 to 0.943; the mean of 0, 0, 1 is 1/3 +- 0.653."""
    assert share_of(8, 10) == pytest.approx((0.8, 0.4902, 0.9433), abs=1e-4)
    assert share_of(0, 5) == pytest.approx((0, 0, 0.4345), abs=1e-4)
    assert share_of(0, 0) == (0, 0, 1)
    assert mean_of([0.0, 0.0, 1.0]) == pytest.approx((1 / 3, 0, 0.9867), abs=1e-4)
    assert mean_of([0.2, 0.4, 0.3, 0.1]) == pytest.approx((0.25, 0.1235, 0.3765), abs=1e-4)


def test_the_command(tmp_path: Path) -> None:
    picture = tmp_path / "grade.svg"
    arguments = ["grade", "tictactoe", "level-1", "--positions", "2", "--svg", str(picture)]
    done = run(*arguments)
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["stage", *STAGES, "all"]
    assert all(len(line) < 80 for line in done.stdout.splitlines())
    root = ElementTree.parse(picture).getroot()
    assert root.tag.endswith("svg")
    found = json.loads(run(*arguments, "--json", "--details").stdout)
    assert [grade["positions"] for grade in found["grades"]] == [2, 2, 2, 6]
    assert len(found["answers"]) == 6
    assert found["grades"][-1]["kept"].keys() == {"share", "low", "high"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tictactoe", "nobody"], "unknown player 'nobody'"),
        (["chess", "first"], "unknown game 'chess'"),
        (["tictactoe", "first", "--positions", "0"], "positions=0: expected"),
        (["tictactoe", "first", "--svg", "/nowhere/x.svg"], "no such folder"),
        (["connect4", "qubic-c"], "plays qubic, not connect4"),
    ],
)
def test_bad_arguments(arguments: list[str], words: str) -> None:
    done = run("grade", *arguments)
    assert done.returncode == 2
    assert words in done.stderr


def test_the_picture_shows_every_stage() -> None:
    grade = StageGrade(
        "end", 4, 4, share_of(2, 4), share_of(3, 4), mean_of([0.0, 0.5, 0.0, 0.0]), 0
    )
    text = draw("a & b", [grade, grade._replace(stage="all")])
    assert "a &amp; b" in text
    assert ">end<" in text
    assert ">all<" in text
    assert ">50%<" in text
    assert ">75%<" in text
