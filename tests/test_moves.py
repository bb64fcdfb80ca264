"""`analyse_moves` and `solve_moves` against minimax, the solvers and the slow rules."""

from random import Random
from typing import Any

import pytest

import ttt
from support import tictactoe
from support.contract import choose
from support.interrupts import ctrl_c, during_search
from support.processor import at_most
from support.reference import Reference, reference
from ttt import Board, Engine, IllegalMove, Limit, MoveAnalysis, Score
from ttt.analysis import extend_line
from ttt.solvers.connect4 import Connect4Solver


def test_every_position_of_tictactoe() -> None:
    """Value and distance of every move of all 5,478 positions."""
    engine = Engine("tictactoe", hash=1)
    for board in tictactoe.positions():
        values = tictactoe.values(board)
        found = engine.analyse_moves(board)
        assert found.proven
        assert {entry.move.number for entry in found} == values.keys()
        for entry in found:
            value = values[entry.move.number]
            plies = 100 - abs(value)
            score = Score.win(plies) if value > 0 else Score.loss(plies) if value else Score(0)
            assert (entry.score, entry.proven) == (score, True), (board.text(), entry)
        scores = [entry.score for entry in found]
        assert scores == sorted(scores, reverse=True)


def late_board(game: str, random: Random, left: int, **options: Any) -> tuple[Board, Reference]:
    """A running game with this many empty cells, and the same position by the slow rules."""
    start = Board(game, **options)
    board = start.copy()
    while board.ply < len(board.marks) - left:
        board.push(choose(board, random.randrange, True))
        if board.is_game_over():
            board = start.copy()
    slow = reference(game, **options)
    for move in board.moves:
        slow.play(move.number)
    return board, slow


@pytest.mark.parametrize(
    ("game", "options", "left"),
    [
        ("connect4", {}, 7),
        ("connect4", {"columns": 5, "rows": 4, "connect": 3}, 7),
        ("mnk", {"m": 4, "n": 4, "k": 3}, 6),
        ("nineboard", {}, 16),
        ("nineboard", {"full": "draw"}, 16),
        ("ultimate", {}, 18),
        ("ultimate", {"tie": "boards", "won": "open"}, 12),
        ("qubic", {}, 6),
    ],
)
def test_late_positions_by_the_slow_rules(game: str, options: dict[str, Any], left: int) -> None:
    """Proven scores are true, with and without limits, by search and by solver."""
    random = Random(5)
    engine = Engine(game, hash=1, **options)
    searching = Engine(game, hash=1, solver=False, **options)
    compared = 0
    while compared < 4:
        board, slow = late_board(game, random, left, **options)
        if count_games(slow) is None:
            continue
        compared += 1
        truth = {}
        for move in board.legal_moves:
            after = slow.copy()
            after.play(move.number)
            truth[move] = -after.value()
        calls = [
            engine.analyse_moves(board),
            engine.solve_moves(board),
            searching.analyse_moves(board),
        ]
        for found in calls:
            assert found.proven, board.text()
            assert {entry.move: entry.score.sign for entry in found} == truth, board.text()
        for nodes in (1, 7, 50, 400, 3000):
            engine.clear()
            searching.clear()
            for limited in (
                engine.analyse_moves(board, nodes=nodes),
                searching.analyse_moves(board, Limit(nodes=nodes)),
                engine.solve_moves(board, nodes=nodes),
            ):
                assert len(limited) == len(truth)
                for entry in limited:
                    if entry.proven:
                        assert entry.score.sign == truth[entry.move], (board.text(), nodes, entry)
                    assert entry.line[0] == entry.move


def count_games(slow: Reference, most: int = 1_500) -> int | None:
    """The positions below a position; None if there are too many for the slow rules."""
    total = 1
    for move in slow.legal():
        after = slow.copy()
        after.play(move)
        below = count_games(after, most - total)
        if below is None or total + below > most:
            return None
        total += below
    return total


def test_columns_of_connect4() -> None:
    """The exact scores are those of the solver, whichever of search and solver came first."""
    random = Random(3)
    solver, engine = Connect4Solver(hash=4), Engine("connect4", hash=4)
    for _ in range(6):
        board = Board("connect4").playout(random.randrange(10**9))
        while board.ply > 20 or board.is_game_over():
            board.pop()
        scores = {}
        for move in board.legal_moves:
            after = board.copy()
            after.push(move)
            scores[move] = -(solver.solve(after).game_score or 0)
        for found in (engine.analyse_moves(board), engine.solve_moves(board)):
            assert {entry.move: entry.game_score for entry in found} == scores
            for entry in found:
                score = entry.game_score
                assert score is not None
                assert (entry.score.sign > 0, entry.score.sign < 0) == (score > 0, score < 0)
                after = board.copy()
                after.push(entry.move)
                plies = solver.solve(after).plies
                assert entry.plies == (None if plies is None else plies + 1)
        weak = engine.solve_moves(board, weak=True)
        assert weak.proven
        assert {entry.move: entry.score.sign for entry in weak} == {
            move: (score > 0) - (score < 0) for move, score in scores.items()
        }


@pytest.mark.parametrize("game", ttt.games())
def test_every_move_has_a_value_within_any_limit(game: str) -> None:
    board = Board(game)
    engine = Engine(game, hash=4)
    reports: list[MoveAnalysis] = []
    for limit in (Limit(nodes=1), Limit(depth=1), Limit(depth=3), Limit(nodes=20_000)):
        found = engine.analyse_moves(board, limit, on_info=reports.append)
        assert [entry.move for entry in found] != []
        assert {entry.move for entry in found} == set(board.legal_moves)
        assert engine.analysis is found
        assert limit.nodes is None or found.nodes <= limit.nodes + 1024
        assert limit.depth is None or found.depth <= limit.depth
    assert reports
    with at_most(20):
        engine.analyse_moves(board, time=0.05)


def test_lookup_and_words() -> None:
    board = Board("nineboard")
    board.push_moves("5 6 6 5")
    found = Engine("nineboard", hash=4).analyse_moves(board, depth=4)
    first = found.moves[0]
    assert found[first.move] is first
    assert found[str(first.move).replace(" ", "")] is first
    with pytest.raises(KeyError, match="1 1 is not a legal move here"):
        found["1 1"]
    with pytest.raises(ttt.BadNotation):
        found["zz"]
    assert len(found) == len(board.legal_moves)
    assert str(found).startswith(f"{first.move}: {first.verdict()}, ")
    assert board.text() in repr(found)
    over = Board("tictactoe")
    over.push_moves("1 4 2 5 3")
    none = Engine("tictactoe", hash=1).analyse_moves(over)
    assert (none.moves, none.proven) == ([], True)


@pytest.mark.parametrize(("game", "moves"), [("ultimate", "5 5"), ("nineboard", ""), ("qubic", "")])
def test_ctrl_c_and_stop_keep_the_analysis(game: str, moves: str) -> None:
    board = Board(game)
    board.push_moves(moves)
    engine = Engine(game, hash=4)
    with pytest.raises(KeyboardInterrupt), during_search(ctrl_c):
        engine.analyse_moves(board)
    kept = engine.analysis
    assert kept is not None
    assert {entry.move for entry in kept} == set(board.legal_moves)
    for call in (engine.analyse_moves, engine.solve_moves):
        with during_search(engine.stop):
            assert not call(board).proven


def test_settings_and_limits_are_checked() -> None:
    board = Board("connect4")
    engine = Engine("connect4", hash=1)
    with pytest.raises(TypeError, match=r"unknown setting 'quick'; choose from .*weak"):
        engine.solve_moves(board, quick=True)
    with pytest.raises(TypeError, match="unknown setting 'all_moves'"):
        engine.solve_moves(board, all_moves=True)
    with pytest.raises(ValueError, match="no depth limit"):
        engine.solve_moves(board, Limit(depth=3))
    with pytest.raises(TypeError, match="not both"):
        engine.analyse_moves(board, Limit(depth=3), depth=3)
    with pytest.raises(TypeError, match=r"expected a ttt\.Limit"):
        engine.analyse_moves(board, 3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="the board is qubic"):
        engine.analyse_moves(Board("qubic"))
    with pytest.raises(IllegalMove):
        board.push_moves("4444444")


@pytest.mark.parametrize(
    ("game", "moves", "result"),
    [("connect4", "32164625", "1-0"), ("connect4", "4455", "1-0"), ("tictactoe", "1 5", "1/2-1/2")],
)
def test_the_line_of_a_proof_goes_on_to_the_end(game: str, moves: str, result: str) -> None:
    """A solver gives one move; the line is continued until the game ends as proven."""
    board = Board(game)
    board.push_moves(moves)
    with Engine(game, hash=16) as engine:
        found = engine.search(board, nodes=10_000_000)
        assert found.proven
        assert found.lines == [(found.score, found.line)]
        line = extend_line(engine, board, found.line, 60, 600.0)
        few = max(3, len(found.line))
        assert extend_line(engine, board, found.line, 3, 600.0) == line[:few]
    board.push_moves(line)
    assert board.result() == result
    assert found.plies in (None, len(line))


@pytest.mark.parametrize("game", ["connect4", "nineboard", "tictactoe"])
def test_only_qubic_has_a_threat_search(game: str) -> None:
    with pytest.raises(ValueError, match=f"{game} has no threat search"):
        Engine(game, hash=1).threats(Board(game))
