"""Limits, stops, signals and table sizes: each is respected, and the engine stays usable."""

import json
import math
import os
import runpy
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ttt
from support.interrupts import ctrl_c, during_search
from support.processes import wait_until
from support.processor import at_most
from ttt import Board, Engine, IllegalMove, Result, Score, minimax_search
from ttt.boards.nineboard import NineboardBoard
from ttt.cli.main import main
from ttt.search.mcts import mcts_search, montecarlo_search
from ttt.search.minimax import depth_by_rule, depth_for
from ttt_core import system
from ttt_core.runtime import memory

LONG_GAMES = [Board("mnk", m=8, n=8, k=5), *map(Board, ("connect4", "ultimate"))]
LONG_GAMES += [
    Board.parse(f"nineboard x{'.' * 8}/{'/'.join(['.' * 9] * 8)} o 1"),
    Board.parse(f"qubic .x..o{'.' * 11}/{'/'.join(['.' * 16] * 3)} x"),
]
"""Positions that no search finishes within the limits below; the shipped proof of nineboard and the
shipped strategy of qubic do not cover the last two."""


def name_of(board: Board) -> str:
    return board.game


@pytest.mark.parametrize("board", LONG_GAMES, ids=name_of)
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_nodes(board: Board, threads: int) -> None:
    """All threads together stay within the limit: one node may be in progress in each, or the nodes
    of one threat search."""
    engine = Engine(board.game, hash=1, threads=threads, solver=False, **board.options)
    for nodes in (1, 7, 1000, 5000, 20_000):
        engine.clear()
        with at_most(5):
            found = engine.search(board, nodes=nodes)
        assert nodes // threads <= found.nodes < nodes + 40 * threads
        assert threads > 1 or board.game == "qubic" or found.nodes == nodes
        assert found.move in board.legal_moves
        assert not found.proven


@pytest.mark.parametrize("board", LONG_GAMES, ids=name_of)
@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta"])
def test_nodes_of_minimax(board: Board, algorithm: str) -> None:
    """The children of one node may be counted together."""
    for nodes in (1, 1000, 5000, 40_000):
        with at_most(5):
            found = minimax_search(board, algorithm, 20, nodes=nodes)
        assert nodes <= found.nodes < nodes + len(board.marks)
        assert not found.proven


@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta"])
def test_a_stopped_minimax_proves_nothing(algorithm: str) -> None:
    """The moves finished by then may all lose although another one draws."""
    board = Board("tictactoe")
    board.push_moves("1 5 2")
    whole = minimax_search(board, algorithm, 9)
    assert (whole.move, whole.verdict()) == ("3", "draw")
    partial = 0
    for nodes in range(1, whole.nodes):
        found = minimax_search(board, algorithm, 9, nodes=nodes)
        if found.nodes < whole.nodes:
            assert not found.proven
            partial += 0 < len(found.lines) < len(board.legal_moves)
        for line in found.lines:
            assert line in whole.lines
    assert partial > 50


SEARCHES: dict[str, Callable[[Board, float], object]] = {
    "engine": lambda board, time: engine_of(board).search(board, time=time),
    "play": lambda board, time: engine_of(board).play(board, time=time),
    "full-width": lambda board, time: engine_of(board, selective=False).search(board, time=time),
    "no solver": lambda board, time: engine_of(board, solver=False).search(board, time=time),
    "no reductions": lambda board, time: engine_of(board, reduce=False).search(board, time=time),
    "threads": lambda board, time: engine_of(board, threads=3).search(board, time=time),
    "lines": lambda board, time: engine_of(board).search(board, time=time, multipv=3),
    "all moves": lambda board, time: engine_of(board).analyse_moves(board, time=time),
    "solver": lambda board, time: engine_of(board).solve(board, time=time),
    "solver threads": lambda board, time: engine_of(board, threads=2).solve(board, time=time),
    "solver moves": lambda board, time: engine_of(board).solve_moves(board, time=time),
    "minimax": lambda board, time: minimax_search(board, "minimax", 60, time=time),
    "alphabeta": lambda board, time: minimax_search(board, "alphabeta", 60, time=time),
    "mcts": lambda board, time: mcts_search(board, None, time=time, hash=4),
    "montecarlo": lambda board, time: montecarlo_search(board, None, time=time),
}


def engine_of(board: Board, **settings: Any) -> Engine:
    return Engine(board.game, hash=1, **settings, **board.options)


@pytest.mark.parametrize("board", LONG_GAMES, ids=name_of)
@pytest.mark.parametrize("search", SEARCHES)
def test_time(board: Board, search: str) -> None:
    """Every search of every game ends when its time is over, without a proof."""
    engine_of(board).evaluate(board)  # weights are read before the clock starts
    began = time.monotonic()
    with at_most(4):
        found = SEARCHES[search](board, 0.05)
    assert time.monotonic() - began >= 0.05
    assert not getattr(found, "proven", False)


def test_only_boards_are_searched() -> None:
    engine = Engine("connect4", hash=1)
    for call in (engine.search, engine.solve, engine.threats):
        with pytest.raises(TypeError, match=r"ttt\.Board, not str"):
            call("4455")  # type: ignore[arg-type]


def test_depth_and_information() -> None:
    told: list[Result] = []
    engine = Engine("nineboard", hash=1, solver=False)
    found = engine.search(Board("nineboard"), depth=7, on_info=told.append)
    assert [result.depth for result in told] == [1, 2, 3, 4, 5, 6, 7]
    assert found == engine.result
    assert found.depth == 7
    assert found.selective_depth >= 7
    assert 0 < found.table_fill <= 1
    assert found.nodes_per_second > 0


def test_progress_counts_the_nodes_of_all_threads() -> None:
    """While `on_info` waits at depth 1, only the second thread can work."""
    nodes: list[int] = []
    engine = Engine("qubic", hash=1, threads=2, solver=False)

    def wait(result: Result) -> None:
        nodes.append(result.nodes)
        if len(nodes) == 2:
            engine.stop()
        until = time.process_time() + 0.3
        wait_until(lambda: len(nodes) > 1 or time.process_time() >= until)

    engine.search(Board("qubic"), on_info=wait)
    alone = Engine("qubic", hash=1, solver=False).search(Board("qubic"), depth=2).nodes
    assert nodes[1] - nodes[0] > alone + 10_000


def test_an_error_in_on_info_ends_the_search() -> None:
    def fail(_: Result) -> None:
        raise RuntimeError("enough")

    for threads in (1, 2):
        engine = Engine("qubic", hash=1, threads=threads, solver=False)
        with pytest.raises(RuntimeError, match="enough"):
            engine.search(Board("qubic"), on_info=fail)
        assert engine.search(Board("qubic"), depth=1).move is not None


@pytest.mark.parametrize("threads", [1, 3])
def test_stop_from_another_thread(threads: int) -> None:
    engine = Engine("qubic", hash=1, threads=threads, solver=False)
    with during_search(engine.stop):
        assert engine.search(Board("qubic"), depth=60).move is not None
    assert engine.search(Board("qubic"), depth=2).depth == 2


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_keeps_the_best_move(threads: int) -> None:
    engine = Engine("qubic", hash=1, threads=threads, solver=False)
    board = Board("qubic")
    for _ in range(10):
        engine.result = None
        with pytest.raises(KeyboardInterrupt), during_search(ctrl_c):
            engine.search(board)
        assert engine.result is not None
        assert engine.result.move in board.legal_moves
    assert engine.search(board, depth=2).depth == 2


def test_ctrl_c_in_minimax() -> None:
    with pytest.raises(KeyboardInterrupt), during_search(ctrl_c):
        minimax_search(Board("qubic"), "minimax", 20)


def test_concurrent_searches_on_one_engine_wait_for_each_other() -> None:
    engine = Engine("connect4", hash=1, solver=False)
    expected = engine.search(Board("connect4"), depth=6).score
    scores: list[Score] = []

    def work() -> None:
        for _ in range(5):
            scores.append(engine.search(Board("connect4"), depth=6).score)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert scores == [expected] * 20


@pytest.mark.parametrize("game", ["connect4", "qubic"])
def test_a_call_from_within_is_refused(game: str) -> None:
    """Waiting would be a deadlock."""
    engine = Engine(game, hash=1, solver=False)

    def ask(_: Result) -> None:
        with pytest.raises(RuntimeError, match="busy"):
            engine.search(Board(game), depth=1)

    assert engine.search(Board(game), depth=3, on_info=ask).depth == 3


def test_a_forked_process_uses_the_engine() -> None:
    """Also when another thread of its parent was searching with it."""
    engine = Engine("connect4", hash=1, solver=False)
    statuses: list[int] = []

    def fork() -> None:
        child = os.fork()
        if child == 0:
            signal.alarm(120)
            os._exit(engine.search(Board("connect4"), depth=4).depth != 4)
        statuses.append(os.waitpid(child, 0)[1])
        engine.stop()

    with during_search(fork):
        engine.search(Board("connect4"))
    assert statuses == [0]


def test_search_works_on_a_snapshot() -> None:
    """The position at the time of the call is searched."""
    copied = threading.Event()

    class Watched(NineboardBoard):
        def copy(self, *, stack: bool = True) -> "Watched":
            found = super().copy(stack=stack)
            copied.set()
            return found

    engine, board = Engine("nineboard", hash=1, solver=False), Watched()
    found: list[Result] = []
    waiting = threading.Thread(target=lambda: found.append(engine.search(board, depth=2)))

    def change() -> None:
        waiting.start()
        assert copied.wait(300)
        board.push_moves("11 12 21 13 31")
        engine.stop()

    with during_search(change):
        engine.search(Board("nineboard"))
    waiting.join()
    assert Board("nineboard").is_legal(found[0].line[0])
    with pytest.raises(ValueError, match="cannot be played"):
        engine.core.search(board, 1, 1, 0.0, 1, [0, 1, 80], None, 1, 1, True, True, 1.0, False)


def test_the_fill_of_the_table_is_that_of_the_latest_search() -> None:
    engine = Engine("ultimate", hash=1)
    full = engine.search(Board("ultimate"), nodes=100_000).table_fill
    assert 0.05 < full <= 1
    assert engine.search(Board("ultimate"), nodes=1).table_fill < full / 10


def test_an_evaluation_that_the_game_has_not() -> None:
    board = Board("qubic")
    core = Engine("qubic", hash=1).core
    for number in (-1, len(core.evaluations)):
        with pytest.raises(ValueError, match=f"evaluation {number}: expected 0 to 2"):
            core.evaluate(board, number)


@pytest.mark.parametrize("size", [0, -1, 2**63, 10**9])
def test_impossible_table_sizes(size: int) -> None:
    engine = Engine("connect4", hash=2)
    before = engine.search(Board("connect4"), depth=12)
    with pytest.raises(ValueError, match="MiB"):
        engine.resize(size)
    assert engine.core.hash == 2
    again = engine.search(Board("connect4"), depth=12)
    assert again.nodes < before.nodes
    engine.clear()
    assert engine.search(Board("connect4"), depth=12).nodes == before.nodes


def test_memory_of_a_container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "memory.max").write_text("9000000\n")
    (tmp_path / "memory.stat").write_text("anon 4000000\nfile 17\n")
    monkeypatch.setattr(system, "CGROUP", f"{tmp_path}/memory.")
    assert system.available_bytes() == 5_000_000
    with pytest.raises(ValueError, match="only 4 MiB"):
        Engine("connect4", hash=5)
    (tmp_path / "memory.max").write_text("max\n")
    assert system.available_bytes() > 5_000_000


def test_least_table_size() -> None:
    memory.check_hash(8, least=8)
    with pytest.raises(ValueError, match="hash=7: expected at least 8 MiB"):
        memory.check_hash(7, least=8)


def test_memory_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows has neither `resource` nor `os.sysconf`."""
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "resource", None)
    monkeypatch.delattr(os, "sysconf")
    fresh = runpy.run_path(str(system.__file__))
    assert fresh["available_bytes"]() > 0
    assert fresh["_left_to_process"]() == fresh["UNLIMITED"]


@pytest.mark.parametrize("size", ["abc", 1.5, True, None])
def test_sizes_are_whole_numbers(size: object) -> None:
    with pytest.raises(TypeError, match="MiB"):
        Engine("connect4", hash=size)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "limits",
    [
        {"depth": 0},
        {"depth": -1},
        {"depth": 2.5},
        {"depth": 256},
        {"depth": "3"},
        {"depth": True},
        {"nodes": 0},
        {"nodes": 1e5},
        {"nodes": True},
        {"time": 0},
        {"time": -1.0},
        {"time": float("nan")},
        {"time": float("inf")},
        {"time": "1"},
        {"time": True},
        {"multipv": 0},
        {"multipv": 1.5},
        {"moves": []},
        {"moves": ["9"]},
    ],
)
def test_limits_that_make_no_sense(limits: dict[str, object]) -> None:
    with pytest.raises((ValueError, TypeError), match=r"=.*expected|move"):
        Engine("connect4", hash=1).search(Board("connect4"), **limits)  # type: ignore[arg-type]


@pytest.mark.parametrize("limits", [{"depth": 255}, {"nodes": 2**80}, {"multipv": 10**30}])
def test_limits_beyond_every_game(limits: dict[str, int]) -> None:
    board = Board("tictactoe")
    assert Engine("tictactoe", hash=1).search(board, **limits).proven  # type: ignore[arg-type]
    assert minimax_search(board, "alphabeta", limits.get("depth", 9)).proven


def test_boards_of_other_games_and_options() -> None:
    engine = Engine("nineboard", hash=1, solver=False)
    with pytest.raises(ValueError, match="the board is connect4"):
        engine.search(Board("connect4"), depth=1)
    with pytest.raises(ValueError, match="other options"):
        engine.search(Board("nineboard", full="draw"), depth=1)
    board = Board("tictactoe")
    board.push("5")
    with pytest.raises(IllegalMove):
        Engine("tictactoe", hash=1).search(board, moves=["5"])
    with pytest.raises(ValueError, match="unknown evaluation 'best' for tictactoe; choose from"):
        Engine("tictactoe", evaluation="best")
    with pytest.raises(ValueError, match="threads"):
        Engine("tictactoe", threads=0)
    with pytest.raises(ValueError, match="unknown algorithm"):
        minimax_search(Board("tictactoe"), "engine", 3)


def test_finished_games() -> None:
    board = Board("tictactoe")
    board.push_moves("14253")
    found = Engine("tictactoe", hash=1).search(board)
    assert (found.move, found.line, found.proven, found.score.value) == (None, [], True, "loss")
    assert minimax_search(board, "minimax", 3).move is None


def test_depth_by_rule() -> None:
    """The adaptive rule starts at 7 on nine boards and never looks past the end."""
    board = Board("nineboard")
    found = []
    while not board.is_game_over():
        found.append(depth_by_rule("adaptive", board))
        board.push(board.playout(1).moves[board.ply])
    assert found[0] == 7
    assert found == sorted(found)
    assert depth_by_rule("filling", Board("qubic")) == 3
    assert depth_by_rule("filling", Board("tictactoe")) == 7
    assert minimax_search(Board("tictactoe"), "alphabeta", "filling").depth == 7
    with pytest.raises(ValueError, match="adaptive"):
        depth_by_rule("deep", board)


def test_depth_rules_by_their_definition() -> None:
    """adaptive: the most plies d with (cells left / 9)^d <= 9^7; filling: the most for which
    n (n - 1) (n - 2) ... is at most 64^3; both at least 1 and not past the end."""
    for left in range(1, 82):
        adaptive = [d for d in range(1, left + 1) if left**d <= 9**7 * 9**d]
        assert depth_for("adaptive", left) == max(adaptive, default=1), left
        filling = [d for d in range(1, left + 1) if math.perm(left, d) <= 64**3]
        assert depth_for("filling", left) == max(filling, default=1), left


def test_analyse(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["analyse", "connect4", "--moves", "4455", "--depth", "6", "--multipv", "2"]
    assert main(arguments) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("best move: ")
    assert "win in 3" in shown.out
    assert "depth  6/" in shown.err or "win in 3" in shown.err
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    names = (
        "game position algorithm move score evaluation proven plies exact depth line lines nodes"
    )
    assert {*names.split(), "terminal", "horizon", "seconds", "nodes_per_second"} == found.keys()
    assert (found["proven"], found["plies"], len(found["lines"])) == (True, 3, 2)
    textbook = ["analyse", "nineboard", "--moves", "13", "--algorithm", "minimax", "--depth", "5"]
    assert main([*textbook, "--eval", "two-in-a-row", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["algorithm"] == "minimax"
    for bad in (["--depth", "adaptive"], ["--eval", "x"], ["--hash", "0"], ["--time", "-1"]):
        assert main([*arguments, *bad]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1


def test_bench_is_a_signature(capsys: pytest.CaptureFixture[str]) -> None:
    """Move ordering, reductions, extensions and the table show in the number of nodes, although
    the search finds the same move without them, only later."""
    lines = (Path(__file__).parent / "data/bench.txt").read_text().splitlines()
    recorded = dict(line.split() for line in lines if not line.startswith("#"))
    assert main(["bench", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {entry["game"]: str(entry["nodes"]) for entry in found["games"]} == recorded
    assert [entry["game"] for entry in found["games"]] == list(ttt.games())
    assert found["nodes"] == sum(map(int, recorded.values()))
    assert main(["bench", "tictactoe"]) == 0
    assert "signature" in capsys.readouterr().out


@pytest.mark.parametrize("game", ["connect4", "nineboard", "qubic"])
def test_ctrl_c_while_the_solver_works(game: str) -> None:
    """The engine has a move although the solver was interrupted."""
    board = Board(game)
    board.push(board.legal_moves[1])
    engine = Engine(game, hash=1)
    with pytest.raises(KeyboardInterrupt), during_search(ctrl_c):
        engine.search(board, time=600)
    assert engine.result is not None
    assert engine.result.move in board.legal_moves
    assert engine.search(board, nodes=5_000).move in board.legal_moves
