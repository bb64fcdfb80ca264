"""`ttt.review`: the value of every move of a game, against the slow rules and known games."""

import random
from threading import Thread

import pytest

import ttt
from support.tictactoe import values
from ttt import Board, Engine, Limit, Score
from ttt.review import ReviewedMove, review, turning_point, winning_chance

QUICK = Limit(nodes=2_000)


def played(game: str, moves: str) -> Board:
    board = Board(game)
    board.push_moves(moves)
    return board


def random_game(game: str, seed: int) -> Board:
    source = random.Random(seed)
    board = Board(game)
    while not board.is_game_over():
        board.push(source.choice(board.legal_moves))
    return board


def number(score: Score) -> int:
    """A score as the slow rules write it."""
    if score.plies is None:
        return 0
    return 100 - score.plies if score.value == "win" else score.plies - 100


@pytest.mark.parametrize("seed", range(20))
def test_values_of_tictactoe(seed: int) -> None:
    """Every score is that of the slow rules, and the best move has the best value."""
    board = random_game("tictactoe", seed)
    replayed = Board("tictactoe")
    for entry in review(board):
        true = values(replayed)
        assert (entry.ply, entry.side) == (replayed.ply + 1, replayed.turn)
        assert number(entry.before) == true[entry.best.number] == max(true.values())
        assert number(entry.after) == true[entry.move.number]
        assert entry.before_proven
        assert entry.after_proven
        halves = [
            (value > 0) - (value < 0)
            for value in (true[entry.best.number], true[entry.move.number])
        ]
        assert entry.loss == (halves[0] - halves[1]) / 2
        assert (entry.label == "blunder") == (entry.loss > 0)
        replayed.push(entry.move)
    assert replayed == board


@pytest.mark.parametrize("game", ttt.games())
def test_every_game(game: str) -> None:
    board = random_game(game, 1)
    seen: list[int] = []

    def on_info(moves: list[ReviewedMove]) -> None:
        seen.append(len(moves))
        assert moves[-1].move == board.peek()

    moves = review(board, limit=QUICK, on_info=on_info)
    assert [entry.move for entry in moves] == board.moves
    assert seen == list(range(1, len(moves) + 1))
    assert all(0 <= entry.loss <= 1 for entry in moves)
    assert all((entry.loss == 0) or entry.best != entry.move for entry in moves)
    if board.result() != "1/2-1/2":
        decisive = turning_point(moves)
        assert decisive is not None
        assert decisive.side != ("x" if board.result() == "1-0" else "o")


def test_where_a_game_was_lost() -> None:
    moves = review(played("tictactoe", "5 2 7 3 1 4 9"))
    lost = turning_point(moves)
    assert lost is not None
    assert (lost.ply, lost.side, lost.move, lost.label) == (2, "o", "2", "blunder")
    assert (lost.verdict(), lost.best_verdict()) == ("loss in 6", "draw")
    assert lost.best in ("1", "3", "7", "9")
    drawn = review(played("tictactoe", "5 2 1 9 3 7 8 6 4"))  # 2 lost, 3 let the win slip
    slip = turning_point(drawn)
    assert slip is not None
    assert (slip.side, slip.best_verdict().split()[0], slip.verdict()) == ("x", "win", "draw")
    assert turning_point(review(played("tictactoe", "5 1"))) is None
    assert turning_point([]) is None
    assert review(Board("tictactoe")) == []


def test_known_connect4_game() -> None:
    """The values are those of the published solvers."""
    board = Board.parse(played("connect4", "32164625").text())
    board.push("1")
    last = review(board, limit=Limit(nodes=5_000_000))[-1]
    assert (last.move, last.best, last.verdict(), last.best_verdict()) == (
        "1",
        "3",
        "loss in 28",
        "win in 13",
    )
    assert (last.label, last.loss) == ("blunder", 1.0)


def test_a_stopped_review_returns_the_last_moves() -> None:
    board = random_game("qubic", 3)
    with Engine("qubic") as engine:
        found: list[list[ReviewedMove]] = []
        enough = len(board.moves) // 2

        def on_info(moves: list[ReviewedMove]) -> None:
            if len(moves) == enough:
                engine.stop()

        thread = Thread(target=lambda: found.append(review(board, engine, QUICK, on_info)))
        thread.start()
        thread.join(300)
        assert [entry.move for entry in found[0]] == board.moves[-enough:]


def test_winning_chances() -> None:
    assert winning_chance(Score.win(3), True, 100) == 1
    assert winning_chance(Score.loss(), True, 100) == 0
    assert winning_chance(Score(0), True, 100) == 0.5
    assert winning_chance(Score(16), False, 16) == pytest.approx(0.731, abs=0.001)
    assert winning_chance(Score(-30_000), False, 16) == pytest.approx(0)
