"""`ttt solve` and the properties of every solver."""

import json
import re
import signal
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import ttt
from support import commands, inprocess
from support.processes import wait_until
from ttt import Board, Engine, Limit, Result, Score
from ttt.engine import make_solver
from ttt.solvers.base import Solution, solved_games, solver_class
from ttt.solvers.engine import EngineSolver
from ttt.solvers.nineboard import NineboardSolver
from ttt.storage.lines import DamagedFile, LineFile

run = partial(inprocess.run, "solve")


def test_solvers_are_found_by_their_files() -> None:
    assert set(solved_games()) <= set(ttt.games())
    assert solver_class("tictactoe") is None
    assert isinstance(make_solver("tictactoe"), EngineSolver)
    assert isinstance(make_solver("connect4", connect=3), EngineSolver)
    assert not isinstance(make_solver("connect4"), EngineSolver)
    with pytest.raises(ValueError, match="unknown game"):
        solver_class("chess")


def test_games_without_a_solver_are_searched() -> None:
    found = Engine("tictactoe").solve(Board("tictactoe"))
    assert (found.value, found.plies, found.details["depth"]) == ("draw", None, 9)
    board = Board("tictactoe")
    board.push_moves("1 2 5")
    found = Engine("tictactoe").solve(board)
    assert (found.value, found.plies, found.best) == ("loss", 4, ["9"])
    assert Engine("qubic").solve(Board("qubic"), nodes=1000).value in ("unknown", "win")
    with pytest.raises(ValueError, match="is for tictactoe"):
        Engine("tictactoe").solve(Board("qubic"))
    with pytest.raises(ValueError, match="not available for tictactoe"):
        Engine("tictactoe").solve_many([""])


def test_json() -> None:
    found = json.loads(run("connect4", "--moves", "444444", "--json").stdout)
    assert {name: found[name] for name in ("game", "value", "game_score", "plies")} == {
        "game": "connect4",
        "value": "win",
        "game_score": 1,
        "plies": 35,
    }
    assert found["move"] in found["best"]
    assert found["position"] == "connect4 ...o.../...x.../...o.../...x.../...o.../...x... x"
    assert found["low"] == found["high"] == found["game_score"]
    assert found["nodes"] > 0
    found = json.loads(run("tictactoe", "--json").stdout)
    assert (found["value"], found["game_score"]) == ("draw", None)


def test_limits_return_the_bounds_so_far() -> None:
    found = json.loads(run("connect4", "--nodes", "20000", "--json").stdout)
    assert (found["value"], found["game_score"], found["move"]) == ("unknown", None, None)
    assert found["low"] < 1 < found["high"]
    assert found["nodes"] <= 20_000
    done = run("connect4", "--time", "0.05")
    assert "so far" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["chess"],
        ["tictactoe", "--weak"],
        ["connect4", "--set", "connect=5", "--weak"],
        ["connect4", "--moves", "8"],
        ["connect4", "--threads", "0"],
        ["connect4", "--hash", "0"],
        ["connect4", "--nodes", "0"],
        ["connect4", "--time", "-1"],
        ["connect4", "--out", "x"],
        ["connect4", "--file", "-", "--moves", "4"],
        ["connect4", "--set", "columns=9", "--set", "rows=9"],
    ],
)
def test_bad_use(arguments: list[str]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1


def test_files_are_streamed_in_order_and_resumed(tmp_path: Path) -> None:
    lines = ["44444433333", "", "4455", "52753311433677442422121"]
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("\n".join(lines) + "\n")
    whole = run("connect4", "--file", str(source), "--json")
    found = [json.loads(line) for line in whole.stdout.splitlines()]
    assert [entry["game_score"] for entry in found][1:] == [18, 8]
    assert len(found) == 3
    source.write_text(lines[0])
    assert run("connect4", "--file", str(source), "--out", str(target), "--json").returncode == 0
    target.write_text(target.read_text() + '{"game": "conn')
    source.write_text("\n".join(lines) + "\n")
    done = run("connect4", "--file", str(source), "--out", str(target), "--json")
    assert (done.returncode, done.stdout) == (0, "")
    assert "2 solved, 1 already in the file" in done.stderr
    again = [json.loads(line) for line in target.read_text().splitlines()]
    assert [entry["game_score"] for entry in again] == [entry["game_score"] for entry in found]
    text_lines = run(
        "connect4", "--file", "-", text="4455\nconnect4 " + again[0]["position"][9:] + "\n"
    )
    assert [line.split("\t")[1] for line in text_lines.stdout.splitlines()] == [
        "18",
        str(again[0]["game_score"]),
    ]
    bad = run("connect4", "--file", "-", text="4455\n4499\n")
    assert (bad.returncode, len(bad.stdout.splitlines())) == (2, 1)
    assert "line 2" in bad.stderr
    assert run("connect4", "--file", str(tmp_path / "none")).returncode == 2


@pytest.mark.parametrize("json_", [[], ["--json"]])
def test_damaged_solutions_are_refused(tmp_path: Path, json_: list[str]) -> None:
    """Even if the line could be a solution: one score instead of another."""
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("4455\n")
    arguments = ("connect4", "--file", str(source), "--out", str(target), *json_)
    assert run(*arguments).returncode == 0
    whole = target.read_bytes()
    assert b"18" in whole
    target.write_bytes(whole.replace(b"18", b"16"))
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "line 1: damaged: wrong checksum" in done.stderr
    for at in range(len(whole) - 1):
        target.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(DamagedFile, match=r"out\.txt"):
            LineFile(str(target))


@pytest.mark.parametrize("json_", [[], ["--json"]])
def test_solutions_of_other_positions_are_left_untouched(tmp_path: Path, json_: list[str]) -> None:
    """A file of another kind, or of other positions, is refused and not changed."""
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("44444433333\n52753311433677442422121\n")
    arguments = ("connect4", "--file", str(source), "--out", str(target), *json_)
    assert run(*arguments).returncode == 0
    whole = target.read_bytes()
    source.write_text("44444433333\n52753311433677442422122\n4455\n")
    for content in (whole, b"my diary\nand no new", whole.replace(b"5", b"6"), b"\n" * 3):
        target.write_bytes(content)
        done = run(*arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert "out.txt" in done.stderr
        assert target.read_bytes() == content
    source.write_text("44444433333\n")
    target.write_bytes(whole)
    done = run(*arguments)
    assert (done.returncode, target.read_bytes()) == (2, whole)
    assert "2 solutions for 1 positions" in done.stderr


@pytest.mark.parametrize(
    ("game", "moves"), [("qubic", "222 111 112"), ("nineboard", "1 5"), ("ultimate", "5 5")]
)
def test_an_unknown_value_has_no_best_moves(game: str, moves: str) -> None:
    board = Board(game)
    board.push_moves(moves)
    found = make_solver(game).solve(board, nodes=2_000)
    assert (found.value, found.best) == ("unknown", [])
    assert found.move in board.legal_moves


def test_ctrl_c_names_the_saved_search(tmp_path: Path) -> None:
    path = tmp_path / "proof"
    status, errors = commands.interrupt("solve", "nineboard", "--checkpoint", str(path))
    assert (status, path.exists()) == (130, True)
    assert f"search saved in {path}" in errors
    assert "Traceback" not in errors


def test_ctrl_c_ends_it_at_once() -> None:
    size = ("--set", "columns=8", "--set", "rows=7")
    status, errors = commands.interrupt("solve", "connect4", *size)
    assert status == 130
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("game", "moves"), [("connect4", "4455"), ("nineboard", "55 51 15 52 25 57"), ("qubic", "112")]
)
def test_solvers_take_as_many_threads_as_engines(game: str, moves: str) -> None:
    board = Board(game)
    board.push_moves(moves)
    assert make_solver(game, threads=256).solve(board, nodes=2_000).nodes
    for wrong in (0, 257, True):
        with pytest.raises((ValueError, TypeError), match=r"threads=.*from 1 to 256"):
            make_solver(game, threads=wrong)


def test_the_engine_asks_the_solver() -> None:
    board = Board("connect4")
    board.push_moves("32164625")
    found = Engine("connect4").search(board)
    assert (found.move, found.score, found.proven) == ("3", Score.win(13), True)
    assert Engine("connect4").search(board, nodes=200_000).score == Score.win(13)
    searched = Engine("connect4", solver=False).search(board, nodes=20_000)
    assert searched.horizon > 0
    assert Engine("connect4", selective=False).search(board, nodes=2_000).horizon > 0
    assert Engine("connect4").search(board, depth=3).depth == 3
    assert Engine("connect4").search(board, nodes=100, multipv=2).nodes <= 200
    limited = Engine("connect4").search(Board("connect4"), nodes=10_000)
    assert not limited.proven
    assert limited.move is not None
    small = Engine("connect4", columns=5, rows=4).search(Board("connect4", columns=5, rows=4))
    assert small.verdict() == "draw"
    assert Engine("connect4", connect=3).search(Board("connect4", connect=3)).proven


@pytest.mark.parametrize(
    ("moves", "verdict"),
    [("454444541", "win"), ("34444434", "loss"), ("61327146267235", "draw")],
)
def test_the_sign_of_a_score_is_enough(moves: str, verdict: str) -> None:
    """Within these limits the solver finds the value, but not the distance. If several moves keep
    the value, the search chooses among them."""
    board = Board("connect4")
    board.push_moves(moves)
    reports: list[Result] = []
    found = Engine("connect4").search(board, nodes=150_000, on_info=reports.append)
    assert (found.verdict(), found.proven, found.plies) == (verdict, True, None)
    assert [result.verdict() for result in reports] == [verdict]
    values = Engine("connect4").solve_moves(board, weak=True)
    assert found.move is not None
    assert values[found.move].score == values.moves[0].score
    assert (found.horizon > 0) == (verdict != "win")


DRAWN = {
    "......./...x.../..xo.../ooox..o/xxxo.ox/oxxo.xo x": "67",
    ".....x./.....x./.....ox/...o.ox/ox.xoxo/oxoxoxo x": "47",
    "......./.o...../.o.x.o./.x.o.x./ooxx.ox/xxoxoox x": "67",
    "......./..oo.../..xx.../..oox.x/..xxooo/oxoxxxo x": "124",
    "......./o....../x....../x.o..../o.oxxox/x.xooxo x": "45",
}
"""Drawn positions of Connect Four in which a search prefers a losing move; the moves that draw."""


@pytest.mark.parametrize(("text", "drawing"), DRAWN.items())
def test_a_proven_draw_is_not_thrown_away(text: str, drawing: str) -> None:
    board = Board.parse(f"connect4 {text}")
    full = Engine("connect4", solver=False)
    for move in board.legal_moves:
        after = board.copy()
        after.push(move)
        assert (full.search(after).verdict() == "draw") == (move in drawing)
    proven = 0
    for nodes in (20_000, 40_000, 80_000, 160_000):
        found = Engine("connect4", hash=1).search(board, nodes=nodes)
        if found.proven:
            proven += 1
            assert found.verdict() == "draw"
            assert str(found.move) in drawing, nodes
    assert proven > 0


@pytest.mark.parametrize(
    ("game", "nodes"), [("connect4", 60_000), ("nineboard", 60_000), ("nineboard", 200)]
)
def test_solver_and_search_share_the_limits(game: str, nodes: int) -> None:
    """The search gets the nodes and the time that the solver has not spent."""
    board = Board.parse("connect4 .....x./.....x./.....ox/...o.ox/ox.xoxo/oxoxoxo x")
    engine = Engine(game, hash=1)
    if isinstance(engine.solver, NineboardSolver):
        board = Board("nineboard")
        for number in engine.solver.core.safe_moves(16, 1):
            board.push(board.ruleset.moves[number])
    spent: list[int] = []
    given: list[tuple[int, float]] = []
    solve, core = engine.solver.try_within, engine.core

    class Listener:
        """The core of the engine; notes the limits and the nodes of each search."""

        def __getattr__(self, name: str) -> Any:
            return getattr(core, name)

        def search(self, *arguments: Any) -> Any:
            given.append(arguments[2:4])
            found = core.search(*arguments)
            spent.append(found["nodes"])
            return found

    def listen(board: Board, limit: Limit) -> Solution:
        time.sleep(0.2)
        found = solve(board, limit)
        spent.append(found.nodes)
        assert (limit.nodes or 0) <= nodes // 2 + 1
        assert (limit.time or 0) <= 300.0
        return found

    engine.core = Listener()  # type: ignore[assignment]
    engine.solver.try_within = listen  # type: ignore[method-assign]
    engine.search(board, nodes=nodes, time=600.0)
    probe, solver, search = spent
    assert 0 < probe <= nodes // 8 + 1
    assert solver > 0
    assert given[-1][0] == nodes - probe - solver
    assert search <= given[-1][0]
    assert 1.0 < given[-1][1] <= 599.8


@pytest.mark.parametrize("nodes", [1, 12, 40])
def test_a_value_without_a_move_is_not_used(nodes: int) -> None:
    """A limit may end the solver between the value and the move that keeps it."""
    board = Board.parse("connect4 oo...../xx...../oo..x../ox..x../xoo.x../xxxooox o")
    assert Engine("connect4", hash=1).search(board, nodes=nodes).move in board.legal_moves


def test_the_engine_wins_as_first_player() -> None:
    """From a won position it keeps the win against every reply."""
    import random

    dice = random.Random(5)
    engine = Engine("connect4")
    for _ in range(10):
        board = Board("connect4")
        board.push_moves("44444")
        board.push("4")
        while not board.is_game_over():
            found = engine.search(board)
            assert found.score.value == "win"
            assert found.move is not None
            board.push(found.move)
            if not board.is_game_over():
                board.push(dice.choice(board.legal_moves))
        outcome = board.outcome()
        assert outcome is not None
        assert outcome.winner == "x"


def test_files_with_several_processes(tmp_path: Path) -> None:
    """The same solutions in any order; on stdout in the order of the input."""
    boards = [Board("connect4").playout(seed) for seed in range(30)]
    for board in boards:
        for _ in range(4):
            board.pop()
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("".join(f"{' '.join(board.moves)}\n" for board in boards + boards[:5]))
    arguments = ("connect4", "--file", str(source))
    whole = values(run(*arguments).stdout)
    assert len(whole) == 35
    assert values(run(*arguments, "--processes", "2").stdout) == whole
    done = run(*arguments, "--processes", "2", "--out", str(target))
    assert "35 solved, 0 already in the file" in done.stderr
    assert "35/35 positions" in done.stderr
    assert sorted(values(target.read_text())) == sorted(whole)
    kept = target.read_text().splitlines(keepends=True)
    target.write_text("".join(kept[20:] + kept[3:9]))  # a resumed file may have any order
    done = run(*arguments, "--out", str(target))
    assert "14 solved, 21 already in the file" in done.stderr
    assert sorted(values(target.read_text())) == sorted(whole)
    source.write_text("".join(f"{' '.join(board.moves)}\n" for board in boards + boards[:4] * 2))
    done = run(*arguments, "--out", str(target))
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(r"out\.txt, line \d+: its position is not in the input", done.stderr)


def values(text: str) -> list[list[str]]:
    """Position and value of each line."""
    return [line.split("\t")[:2] for line in text.splitlines()]


def test_shards_of_a_file(tmp_path: Path) -> None:
    """Each shard has its own file; `cat` joins them."""
    source, joined = tmp_path / "in.txt", tmp_path / "all.txt"
    parts = [tmp_path / f"{number}.txt" for number in (1, 2, 3)]
    arguments = ("tictactoe", "--file", str(source))
    source.write_text("\n".join(" ".join(Board("tictactoe").playout(s).moves) for s in range(20)))
    for number, part in enumerate(parts, 1):
        done = run(*arguments, "--shard", f"{number}/3", "--out", str(part))
        assert f"{(7, 7, 6)[number - 1]} solved" in done.stderr
    joined.write_text("".join(part.read_text() for part in parts))
    before = joined.read_bytes()
    assert "0 solved, 20 already" in run(*arguments, "--out", str(joined)).stderr
    assert joined.read_bytes() == before
    assert values(run(*arguments, "--shard", "2/3").stdout) == values(parts[1].read_text())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--processes", "2"], "--processes needs --file"),
        (["--cluster", "tcp://localhost:1"], "--cluster needs --file"),
        (["--shard", "1/2"], "--shard needs --file"),
        (["--file", "-", "--shard", "3/2"], "expected I/N with I from 1 to N"),
        (["--file", "-", "--processes", "0"], "expected a whole number from 1 to 1024"),
        (["--file", "-", "--cluster", "nowhere"], "cluster='nowhere': expected e.g. tcp://HOST"),
    ],
)
def test_bad_use_of_jobs(arguments: list[str], words: str) -> None:
    if "nowhere" in arguments:
        pytest.importorskip("distributed")
    done = run("tictactoe", *arguments, text="5\n")
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr


EFFORTS = {
    ("connect4", "32164625"): ("win", 1_460),
    ("connect4", "444333"): ("win", 1_341_528),
    ("connect4", "1234567"): ("win", 1_868_755),
    ("nineboard", "24 5"): ("win", 23_981),
    ("nineboard", "28 3"): ("loss", 2_984),
    ("nineboard", "22 1"): ("win", 200_027),
    ("qubic", "111 444 222 333"): ("win", 1_320_993),
    ("qubic", "111 444 222 333 122 133"): ("win", 145_528),
    ("qubic", "111 222 114 441"): ("win", 300_758),
}
"""Moves, or plies and seed of a random game of safe moves; the value; the nodes that it took."""


@pytest.mark.parametrize(("game", "moves"), EFFORTS)
def test_solvers_need_no_more_nodes_than_before(game: str, moves: str) -> None:
    """A fault in move ordering, tables or bounds often leaves the value right and costs nodes. A
    solver that needs fewer passes; then lower the number above."""
    solver, board = make_solver(game, hash=16), Board(game)
    if isinstance(solver, NineboardSolver):
        ply, seed = map(int, moves.split())
        for number in solver.core.safe_moves(ply, seed):
            board.push(board.ruleset.moves[number])
    else:
        board.push_moves(moves)
    settings: dict[str, Any] = {"no_book": True} if game == "qubic" else {}
    value, nodes = EFFORTS[game, moves]
    found = solver.solve(board, nodes=2 * nodes, **settings)
    assert found.value == value
    assert found.nodes <= 1.01 * nodes


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_keeps_solutions(tmp_path: Path, number: int) -> None:
    """A run of two processes is stopped; another one does the rest."""
    boards = [Board("connect4").playout(seed) for seed in range(400)]
    for board in boards:
        for _ in range(min(board.ply, 12)):
            board.pop()
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("".join(f"{board.text()}\n" for board in boards))
    arguments = ("connect4", "--file", str(source), "--out", str(target), "--processes", "2")
    process = commands.start("solve", *arguments, "--nodes", "100000")
    wait_until(lambda: target.exists() and target.read_bytes().count(b"\n") > 3)
    process.send_signal(number)
    _, errors = process.communicate(timeout=300)
    assert "Traceback" not in errors
    kept = target.read_text().splitlines()
    if process.returncode == 0:
        assert len(kept) == 400  # it was faster
    else:
        assert process.returncode == 128 + number
    done = run(*arguments, "--nodes", "100000")
    assert f"{400 - len(kept)} solved, {len(kept)} already in the file" in done.stderr
    assert target.read_text().splitlines()[: len(kept)] == kept
    positions = sorted(entry[0] for entry in values(target.read_text()))
    assert positions == sorted(board.text() for board in boards)
