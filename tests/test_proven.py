"""What an engine has proven stays proven; a depth-limited search is as on an empty table."""

from random import Random
from typing import Any

import pytest

import ttt
from ttt import Board, Engine, Limit, Score
from ttt.solvers import proven
from ttt.solvers.proven import Proven, ProvenPositions, proven_solution

OPTIONS: dict[str, dict[str, Any]] = {"mnk": {"m": 5, "n": 5, "k": 4}}


def opened(game: str, moves: str = "") -> Board:
    board = Board(game, **OPTIONS.get(game, {}))
    board.push_moves(moves)
    return board


def positions(game: str, count: int) -> list[Board]:
    """Random positions without a win in one."""
    random = Random(game)
    found: list[Board] = []
    while len(found) < count:
        board = opened(game).playout(random.getrandbits(60))
        keep = random.randint(1, 2 * board.ply // 3 + 1)
        while board.ply > keep:
            board.pop()
        if len(board.safe_moves()) > 1 and not any(map(board.is_legal, board.wins())):
            found.append(board)
    return found


# --- proven results ------------------------------------------------------------------------------


PROVEN = [
    ("connect4", "71717237375526", "win"),
    ("connect4", "34666776567655", "loss"),
    ("connect4", "31325173327114", "draw"),
    ("qubic", "", "win"),
    ("qubic", "111", "loss"),
    ("tictactoe", "", "draw"),
    ("mnk", "c3 a1", "win"),
]


@pytest.mark.parametrize(("game", "moves", "value"), PROVEN)
def test_a_proven_result_survives_every_other_search(game: str, moves: str, value: str) -> None:
    board = opened(game, moves)
    with Engine(game, hash=1, **OPTIONS.get(game, {})) as engine:
        first = engine.search(board, nodes=400_000)
        assert first.proven
        assert (first.score.value or "draw") == value
        others = positions(game, 3)
        for limit in (Limit(depth=1), Limit(depth=4), Limit(nodes=1), Limit(time=0.001)):
            for other in others:  # the small table forgets
                engine.search(other, nodes=20_000)
            again = engine.search(board, limit)
            assert (again.proven, again.score) == (True, first.score)
            assert again.move == first.move or value != "win"
            solved = engine.solve(board, nodes=1)
            assert (solved.value, solved.proven) == (value, True)
        if value == "win":
            assert engine.analyse_moves(board, depth=1).moves[0].score.value in ("win", None)


def test_what_the_solver_has_proven_is_known_to_the_search() -> None:
    board = opened("connect4", "71717237375526")
    with Engine("connect4", hash=1) as engine:
        solution = engine.solve(board)
        assert solution.game_score is not None
        found = engine.search(board, depth=2)
        assert (found.proven, found.score, found.nodes) == (True, solution.score, 0)
        engine.solver.clear()
        again = engine.solve(board, nodes=1)
        assert (again.game_score, again.best) == (solution.game_score, solution.best)


def test_a_weaker_proof_does_not_replace_a_stronger_one() -> None:
    board = opened("connect4", "27417527644164")
    with Engine("connect4") as engine:
        strong = engine.solve(board)
        assert engine.solve(board, weak=True).game_score is None
        engine.solver.clear()
        assert engine.solve(board, nodes=1).game_score == strong.game_score


def test_analysis_and_search_share_what_is_proven() -> None:
    board = opened("connect4", "27417527644164")
    with Engine("connect4") as engine:
        analysis = engine.analyse_moves(board)
        best = analysis.moves[0]
        for limit in (Limit(depth=1), Limit(nodes=1)):
            found = engine.search(board, limit)
            assert (found.move, found.score, found.proven) == (best.move, best.score, True)
        after = board.copy()
        after.push(analysis.moves[-1].move)
        assert engine.search(after, depth=1).score == analysis.moves[-1].score.after()
        engine.solver.clear()
        engine.core.clear()
        again = engine.analyse_moves(board, depth=1)
        assert [(entry.move, entry.score, entry.proven) for entry in again] == [
            (entry.move, entry.score, True) for entry in analysis
        ]
        assert [entry.game_score for entry in again] == [entry.game_score for entry in analysis]


def test_a_quicker_win_replaces_a_slower_one() -> None:
    """A win that a short search proves need not be the quickest; a longer one may improve it."""
    board = opened("tictactoe", "1 4")
    exact = Engine("tictactoe").search(board)
    assert exact.plies == 5
    with Engine("tictactoe") as engine:
        engine.note(board, Score.win(7), [board.parse_move("9")])
        kept = engine.search(board, nodes=1)
        assert (kept.score, kept.proven) == (Score.win(7), True)
        assert engine.search(board).score == exact.score
        assert engine.search(board, nodes=1).score == exact.score


def test_the_winner_finds_what_the_loser_has_proven() -> None:
    """One engine plays both sides: x is lost, and o wins after each of its moves."""
    board = Board.parse(
        "ultimate:won=open .x..x.xoo/ooxoxxoxx/.o.xx.x.x/xooxxx.ox/oxooxoo.o/.xooox.o./ox.oo.xo./"
        "xo.x.xx../.xooxo..o x 9 .x.xo..xo"
    )
    for move in board.legal_moves:
        with Engine("ultimate", hash=1, won="open") as engine:
            assert engine.search(board, nodes=20_000).score == Score.loss(18)
            engine.core.clear()
            after = board.copy()
            after.push(move)
            assert engine.search(after, nodes=1_000).score.value == "win"


def test_a_loss_after_chosen_moves_is_no_lost_position() -> None:
    board = opened("tictactoe", "1")
    with Engine("tictactoe") as engine:
        assert engine.search(board, moves=["2"]).score.value == "loss"
        board.push("5")
        found = engine.search(board)
        assert (found.score.value, found.proven) == (None, True)


def test_clear_forgets() -> None:
    board = opened("connect4", "71717237375526")
    with Engine("connect4") as engine:
        assert engine.search(board).proven
        engine.clear()
        assert not engine.search(board, depth=2).proven


def test_full_width_search_keeps_its_own_values() -> None:
    """`selective=False` is minimax of that depth, whatever has been proven."""
    board = opened("tictactoe", "1 2")
    engine = Engine("tictactoe", selective=False, evaluation="none")
    assert engine.search(board).proven
    fresh = Engine("tictactoe", selective=False, evaluation="none").search(board, depth=2)
    found = engine.search(board, depth=2)
    assert (found.score, found.proven) == (fresh.score, fresh.proven)
    assert not found.proven


def test_chosen_moves_and_several_lines_are_searched() -> None:
    board = opened("connect4", "71717237375526")
    with Engine("connect4") as engine:
        best = engine.search(board).move
        other = next(move for move in board.legal_moves if move != best)
        assert engine.search(board, moves=[other], depth=2).move == other
        assert len(engine.search(board, multipv=3, depth=2).lines) == 3


def test_the_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proven, "CAPACITY", 10)
    store = ProvenPositions()
    boards = positions("connect4", 30)
    for board in boards:
        move = board.legal_moves[0]
        store.add(board, Proven(proven_solution(Score.win(9), [move]), [move], True))
        store.find(boards[0])  # the one that is used stays
    assert len(store) == 10
    assert store.find(boards[0]) is not None
    assert store.find(boards[1]) is None
    assert store.find(boards[-1]) is not None


# --- warm tables ---------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ttt.games())
def test_a_warm_table_changes_nothing_but_what_it_proves(game: str) -> None:
    """bench/warm.py has 200 positions of each game."""
    engine, fresh = (Engine(game, hash=4, solver=False, **OPTIONS.get(game, {})) for _ in range(2))
    same = 0
    for board in positions(game, 12):
        fresh.clear()
        cold = fresh.search(board, depth=4)
        engine.search(board, depth=1)  # without a node limit: the whole table is in use
        engine.search(board, nodes=20_000)
        warm = engine.search(board, depth=4)
        if warm.score.value is None and not warm.proven:
            assert (warm.move, warm.score) == (cold.move, cold.score)
            same += 1
        else:  # only the deeper search has seen the end
            assert warm.proven or warm.score == cold.score
    assert same > 3 or game in ("tictactoe", "mnk")
