"""The nine-board solver against slow searches and proof checks written from the rules alone."""

import json
import os
import random
import signal
import struct
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from support import nineboard_check, reference
from support.processes import wait_until
from ttt import Board, Engine, Limit
from ttt.solvers import checkpoint, nineboard
from ttt.solvers.base import Solution
from ttt.solvers.checkpoint import BadCheckpoint
from ttt.solvers.nineboard import SOLVER, NineboardSolver

WORDS = {1: "win", 0: "draw", -1: "loss"}


def rules_of(board: Board) -> nineboard_check.Position:
    position = nineboard_check.Position(board.options["full"] == "draw")
    for move in board.moves:
        position.play(move.number)
    return position


def safe_board(solver: NineboardSolver, ply: int, seed: int) -> Board:
    board = solver.start.copy()
    for number in solver.core.safe_moves(ply, seed):
        board.push(board.ruleset.moves[number])
    return board


def test_impossible_game_lengths_are_refused() -> None:
    for plies in (-1, 82):
        with pytest.raises(ValueError, match=f"plies={plies}"):
            NineboardSolver(hash=1).core.safe_moves(plies, 1)


@pytest.mark.parametrize("full", ["any", "draw"])
def test_the_checker_agrees_with_the_reference(full: str) -> None:
    for seed in range(20):
        source = random.Random(seed)
        slow = reference.reference("nineboard", full=full)
        position = nineboard_check.Position(full == "draw")
        while not position.over:
            moves = list(position.moves())
            assert moves == slow.legal()
            move = source.choice(moves)
            slow.play(move)
            position.play(move)
        assert slow.legal() == []
        outcome = slow.outcome()
        assert outcome is not None
        assert outcome[0] == (None if position.winner is None else "xo"[position.winner])


@pytest.mark.parametrize("full", ["any", "draw"])
@pytest.mark.parametrize(("threads", "games"), [(1, 500), (4, 100)])
def test_late_positions_equal_exhaustive_search(full: str, threads: int, games: int) -> None:
    solver = SOLVER(hash=16, threads=threads, full=full)
    seen = set()
    for seed in range(games):
        board = safe_board(solver, 36 + seed % 20, seed)
        known: dict[tuple[object, ...], int] = {}
        expected = WORDS[nineboard_check.value(rules_of(board), known)]
        solution = solver.solve(board)
        assert solution.value == expected, board.text()
        assert solution.move in board.legal_moves
        seen.add(expected)
        board.push(solution.move)
        assert WORDS[-nineboard_check.value(rules_of(board), known)] == expected
    assert seen == {"win", "loss"}


def peaceful(full: str, seed: int) -> Board:
    """A random game in which no line is completed while there is another move."""
    source = random.Random(seed)
    board = Board("nineboard", full=full)
    while board.outcome() is None:
        wins = set(board.wins())
        quiet = [move for move in board.legal_moves if move not in wins]
        board.push(source.choice(quiet or board.legal_moves))
    return board


@pytest.mark.parametrize("full", ["any", "draw"])
def test_games_that_can_be_drawn(full: str) -> None:
    solver = SOLVER(hash=1, full=full)
    seen = set()
    for seed in range(300):
        board = peaceful(full, seed)
        known: dict[tuple[object, ...], int] = {}
        for _ in range(12):
            board.pop()
            if board.ply < 48:
                break
            expected = WORDS[nineboard_check.value(rules_of(board), known)]
            assert solver.solve(board).value == expected, board.text()
            seen.add(expected)
    assert seen == ({"win", "loss"} if full == "any" else {"win", "draw", "loss"})


def test_a_move_to_a_full_board_is_no_threat() -> None:
    """Under full=draw a side that has no safe move may still end the game by pointing to a full
    board. The slow search and the engine without selection see the draw too."""
    text = (
        "o..x..o.x/....oox.x/...x...xx/.ooox...x/xoox..ox./.x..xo.../....x..oo/x...ox.ox/oxooo.xo."
    )
    board = Board.parse(f"nineboard:full=draw {text} x 7")
    full_width = Engine("nineboard", hash=1, solver=False, selective=False, full="draw")
    assert full_width.search(board).verdict() == "draw"
    position = nineboard_check.Position(True)
    for cell, mark in enumerate(board.marks):
        if mark != ".":
            position.stones["xo".index(mark)][cell // 9] |= 1 << cell % 9
    position.board, position.side = 6, 0
    assert nineboard_check.value(position, {}) == 0
    assert SOLVER(hash=1, full="draw").solve(board).value == "draw"


@pytest.mark.parametrize(
    ("ply", "seed", "threads"), [(20, 3, 1), (22, 1, 1), (22, 2, 1), (24, 5, 1), (20, 3, 3)]
)
def test_proofs_hold_against_every_reply(ply: int, seed: int, threads: int) -> None:
    solver = SOLVER(hash=64, threads=threads)
    board = safe_board(solver, ply, seed)
    solution = solver.solve(board, nodes=20_000_000)
    assert solution.value in ("win", "loss")
    winner = board.ply % 2 if solution.value == "win" else 1 - board.ply % 2

    def choose(played: list[int]) -> int:
        at = board.copy()
        for number in played:
            at.push(at.ruleset.moves[number])
        found = solver.solve(at, nodes=2_000_000)
        assert found.value == "win"
        assert found.move is not None
        return found.move.number

    assert nineboard_check.verify(rules_of(board), winner, choose) > 100


def test_the_checker_rejects_a_wrong_strategy() -> None:
    solver = SOLVER(hash=16)
    board = safe_board(solver, 24, 5)
    with pytest.raises(AssertionError):
        nineboard_check.verify(
            rules_of(board),
            0,
            lambda played: next(rules_of(pushed(board, played)).moves()),
        )


def pushed(board: Board, numbers: list[int]) -> Board:
    after = board.copy()
    for number in numbers:
        after.push(after.ruleset.moves[number])
    return after


def slow_win(position: nineboard_check.Position, attacker: int, plies: int) -> bool:
    """Whether the attacker wins within `plies`, by exhaustive search."""
    if position.over:
        return position.winner == attacker
    if plies == 0:
        return False
    found = []
    for move in position.moves():
        position.play(move)
        found.append(slow_win(position, attacker, plies - 1))
        position.undo()
        if found[-1] == (position.side == attacker):
            break
    return any(found) if position.side == attacker else all(found)


def test_wins_within() -> None:
    solver = SOLVER(hash=16)
    seen = set()
    for seed in range(100):
        board = safe_board(solver, 20 + seed % 20, seed)
        marks, force, _ = board.picture()
        for attacker in (0, 1):
            for plies in (3, 4, 5):
                solver.clear()
                expected = slow_win(rules_of(board), attacker, plies)
                found = solver.core.wins_within(marks, force, attacker, plies, 10**7, 0.0)
                assert found[0] == expected, (board.text(), attacker, plies)
                seen.add((plies, expected))
    assert len(seen) == 6


def test_wins_and_losses_in_two_plies() -> None:
    solver = SOLVER(hash=1)
    seen = set()
    for seed in range(300):
        board = Board("nineboard").playout(seed)
        over = solver.solve(board)
        assert over.value == ("loss" if board.outcome_value() else "draw")
        assert over.move is None
        board.pop()
        last = solver.solve(board)
        if last.plies == 1:
            assert slow_win(rules_of(board), board.ply % 2, 1)
            seen.add(1)
        board.pop()
        before = solver.solve(board, nodes=1)
        if before.plies == 2:
            assert before.value == "loss"
            assert slow_win(rules_of(board), 1 - board.ply % 2, 2)
            assert not slow_win(rules_of(board), board.ply % 2, 1)
            seen.add(2)
    assert seen == {1, 2}


def test_limits_leave_it_unknown_with_numbers() -> None:
    solution = SOLVER(hash=4).solve(Board("nineboard"), nodes=5_000, no_book=True)
    assert solution.value == "unknown"
    assert solution.best == []
    assert solution.move is not None
    assert solution.details["proof"] > 0
    assert solution.details["disproof"] > 0
    assert 5_000 <= solution.nodes < 10_000


def test_unsuitable_boards_and_settings_are_refused() -> None:
    solver = SOLVER(hash=1)
    with pytest.raises(ValueError, match="other options"):
        solver.solve(Board("nineboard", full="draw"))
    with pytest.raises(ValueError, match="is for nineboard"):
        solver.solve(Board("ultimate"))
    with pytest.raises(TypeError, match="unknown setting 'weak'"):
        solver.solve(Board("nineboard"), weak=True)
    with pytest.raises(ValueError, match="at least 1"):
        SOLVER(hash=0)


# --- checkpoints of a long search -----------------------------------------------------------------


def test_a_search_resumes_from_its_checkpoint(tmp_path: Path) -> None:
    path = str(tmp_path / "proof")
    board = safe_board(SOLVER(hash=1), 20, 7)
    whole = SOLVER(hash=16).solve(board).nodes
    first = SOLVER(hash=16).solve(board, nodes=whole // 2, checkpoint=path)
    assert first.value == "unknown"
    second = SOLVER(hash=16).solve(board, checkpoint=path)
    assert second.value != "unknown"
    assert second.details["nodes_before"] == first.nodes
    assert second.nodes < 0.7 * whole
    third = SOLVER(hash=16).solve(board, checkpoint=path)
    assert third.value == second.value
    assert third.nodes < 100
    assert os.listdir(tmp_path) == ["proof"]


def test_unsuitable_checkpoints_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "proof"
    board = Board("nineboard")
    solver = SOLVER(hash=1)
    solver.solve(board, nodes=5_000, checkpoint=str(path))
    good = path.read_bytes()
    damaged = bytearray(good)
    damaged[len(good) // 2] ^= 1
    for content, what in (
        (b"something else\n", "not a checkpoint"),
        (good[:-1], "damaged"),
        (good[:200], "damaged"),
        (bytes(damaged), "damaged"),
        (good.replace(b"proof 1\n", b"proof 2\n", 1), "version 2"),
    ):
        path.write_bytes(content)
        with pytest.raises(BadCheckpoint, match=what):
            solver.solve(board, nodes=5_000, checkpoint=str(path))
        assert path.read_bytes() == content
    path.write_bytes(good)
    board.push("5 5")
    with pytest.raises(BadCheckpoint, match="another position"):
        solver.solve(board, nodes=5_000, checkpoint=str(path))


@pytest.mark.parametrize(("period", "expected"), [(60.0, 4), (0.0, 20), (1000.0, 1)])
def test_checkpoints_are_written_while_the_search_runs(
    period: float, expected: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once a period, by a clock that moves ten seconds with each slice of the search; and at the
    end. Each one holds the work done so far."""
    now = [0.0]
    written: list[int] = []
    path = tmp_path / "proof"
    monkeypatch.setattr(checkpoint, "PERIOD", period)
    monkeypatch.setattr(checkpoint, "perf_counter", lambda: now[0])
    monkeypatch.setattr(nineboard, "SLICE", 0.001)
    solver = SOLVER(hash=1)

    def look(_: Solution) -> None:
        now[0] += 10
        if nodes_of(path) not in (0, *written):
            written.append(nodes_of(path))
        if now[0] >= 200:
            solver.stop()

    found = solver.solve(Board("nineboard"), checkpoint=str(path), on_info=look)
    written.append(nodes_of(path))
    assert written == sorted(set(written))
    assert written[-1] == found.nodes
    assert abs(len(written) - expected) <= 1


def test_the_table_keeps_the_entries_of_most_effort() -> None:
    """In a full bucket of the proof table a new entry replaces the one that took the least work."""
    core = SOLVER(hash=1).core
    efforts = [9, 3, 12, 5, 7, 2, 20]
    words = []
    for low, effort in enumerate(efforts, 1):  # the high bits choose the bucket: all the same
        key, data = 0x1234 << 48 | low, 17 | 18 << 28 | effort << 56
        words.append(struct.pack("<QQ", key ^ data, data))
    for kept, entry in enumerate(words, 1):
        core.put_entries(entry)
        stored = core.entries(1, 63, 0, core.slots)
        assert len(stored) == 16 * min(kept, 4)
    found = sorted(data >> 56 for _, data in struct.iter_unpack("<QQ", stored))
    # 7 replaces 3, 2 replaces 5, 20 replaces 2.
    assert found == [7, 9, 12, 20]


def test_a_cleared_table_is_empty() -> None:
    solver = SOLVER(hash=1)
    first = solver.solve(Board("nineboard"), nodes=20_000, no_book=True)
    assert solver.core.entries(1, 63, 0, solver.core.slots)
    solver.clear()
    assert not solver.core.entries(1, 63, 0, solver.core.slots)
    assert solver.solve(Board("nineboard"), nodes=20_000, no_book=True).nodes == first.nodes


def test_a_kill_leaves_a_whole_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "proof"
    program = (
        "import sys, ttt.solvers.checkpoint as checkpoint; checkpoint.PERIOD = 0.0\n"
        "import ttt.solvers.nineboard as nine; nine.SLICE = 0.05\n"
        "from ttt import Board\n"
        "nine.SOLVER(hash=4).solve(Board('nineboard'), checkpoint=sys.argv[1])\n"
    )
    before = 0
    for _ in range(3):
        child = subprocess.Popen([sys.executable, "-c", program, str(path)])
        wait_until(partial(has_progressed, path, before))
        child.send_signal(signal.SIGKILL)
        child.wait()
        solution = SOLVER(hash=4).solve(Board("nineboard"), nodes=5_000, checkpoint=str(path))
        assert solution.details["nodes_before"] > before
        before = solution.details["nodes_before"] + solution.nodes
    assert nodes_of(path) == before


def has_progressed(path: Path, before: int) -> bool:
    return nodes_of(path) > before


def nodes_of(path: Path) -> int:
    """The nodes of the checkpoint in a file; 0 if there is none yet."""
    lines = path.read_bytes().split(b"\n") if path.exists() else []
    return int(json.loads(lines[1])["nodes"]) if len(lines) > 1 else 0


def test_the_engine_uses_proofs_of_the_solver() -> None:
    solver = SOLVER(hash=16)
    board = safe_board(solver, 30, 4)
    expected = solver.solve(board).value
    result = Engine("nineboard", hash=16).search(board, nodes=1_000_000)
    assert result.proven
    assert (result.score.sign > 0) == (expected == "win")
    assert result.verdict() == expected
    assert result.plies is None


def test_in_a_lost_game_the_search_chooses_the_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the solver proves a loss that the search does not see, the search's move is played."""
    engine, searched = (Engine("nineboard", hash=16, solver=solver) for solver in (True, False))
    board = safe_board(SOLVER(hash=1), 16, 1)
    tried = engine.solver.try_within(board, Limit(nodes=5_000))
    searched.search(board, nodes=1_000)  # as the engine does before it asks the solver
    found = searched.search(board, nodes=50_000 - tried.nodes)
    assert (tried.value, found.proven) == ("unknown", False)
    other = next(move for move in board.legal_moves if move != found.move)
    lost = tried._replace(value="loss", move=other)
    monkeypatch.setattr(engine.solver, "try_within", lambda *limits: lost)
    result = engine.search(board, nodes=50_000)
    assert (result.proven, result.verdict()) == (True, "loss")
    assert result.move == found.move
