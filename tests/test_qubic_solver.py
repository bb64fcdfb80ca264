"""Threat search, proof search and perfect play of Qubic, against slow and obvious versions."""

import json
from collections.abc import Iterable
from random import Random

import pytest

from support.interrupts import ctrl_c, during_search
from support.processor import at_most
from support.threats import (
    BOARD,
    LINES,
    cells,
    completions,
    greedy_position,
    is_winning_sequence,
    wins_by_threats,
)
from ttt import Board, Engine
from ttt.cli.main import main
from ttt.cli.solution import progress
from ttt.solvers.base import Solution, solver_class
from ttt.solvers.qubic import FEW, QubicSolver
from ttt_core.solvers.qubic import solver as core


@pytest.fixture(scope="module")
def solver() -> core.Solver:
    return core.Solver(16)


def word(chosen: Iterable[int]) -> int:
    return sum(1 << cell for cell in chosen)


def random_position(random: Random) -> tuple[int, int]:
    """Stones of the side to move and of the opponent; nobody has a line."""
    while True:
        chosen = random.sample(range(64), random.randrange(4, 30))
        mine, theirs = word(chosen[::2]), word(chosen[1::2])
        if not any(line & ~mine == 0 or line & ~theirs == 0 for line in LINES):
            return mine, theirs


def check_threats(solver: core.Solver, mine: int, theirs: int) -> bool:
    """Checks the threat search; returns whether the side to move wins."""
    sequence, _ = solver.threats(mine, theirs)
    assert (sequence is not None) == wins_by_threats(mine, theirs)
    assert sequence is None or is_winning_sequence(mine, theirs, sequence)
    return sequence is not None


def test_threats_equal_the_naive_search(solver: core.Solver) -> None:
    random = Random(1)
    found = [check_threats(solver, *random_position(random)) for _ in range(150)]
    for plies in range(6, 18):
        for _ in range(8):
            found.append(check_threats(solver, *greedy_position(random, plies, 30)))
    assert 50 < sum(found) < len(found) - 50


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ((16, 22, 39, 55), (1, 27, 52, 63)),
        ((21, 24, 29, 60), (2, 4, 43, 48)),
        ((22, 30, 56, 57), (28, 29, 51, 59)),
    ],
)
def test_one_open_two_can_win(
    solver: core.Solver, mine: tuple[int, ...], theirs: tuple[int, ...]
) -> None:
    """A single open two can start a threat sequence: its stones make new open twos."""
    side, other = word(mine), word(theirs)
    assert sum((line & side).bit_count() == 2 and not line & other for line in LINES) == 1
    assert check_threats(solver, side, other)


def test_sequences_block_the_opponents_three(solver: core.Solver) -> None:
    """If the opponent has a three, the sequence begins with the cell that blocks it."""
    random, seen = Random(3), 0
    while seen < 30:
        mine, theirs = random_position(random)
        if completions(theirs, mine).bit_count() == 1 and not completions(mine, theirs):
            seen += check_threats(solver, mine, theirs)


def key_after(board: Board, cell: int) -> int:
    board.push(board.ruleset.moves[cell])
    key = board.canonical_key()
    board.pop()
    return key


def board_of(first: int, second: int) -> Board:
    marks = "".join("x" if first >> i & 1 else "o" if second >> i & 1 else "." for i in range(64))
    rows = "/".join(marks[i : i + 16] for i in range(0, 64, 16))
    return Board.parse(f"qubic {rows} {'x' if first.bit_count() == second.bit_count() else 'o'}")


def test_no_reply_is_left_out(solver: core.Solver) -> None:
    """Every reply that the proof search leaves out loses to a threat sequence. Cells 0 and 63,
    which a careless end marker would swallow, are among the replies."""
    random = Random(4)
    listed_cells: set[int] = set()
    for plies in [5] * 12 + [7] * 12 + [9] * 8:
        defender, attacker = greedy_position(random, plies, 25)
        if wins_by_threats(defender, attacker):
            continue
        listed = solver.moves(attacker, defender, False, *FEW)
        board = board_of(attacker, defender)
        assert listed is None or len({key_after(board, cell) for cell in listed}) == len(listed)
        keys = {key_after(board, cell) for cell in listed or []}
        listed_cells.update(listed or [])
        for cell in cells(BOARD & ~(attacker | defender)):
            won = wins_by_threats(attacker, defender | 1 << cell)
            assert won or key_after(board, cell) in keys
            assert not (won and cell in (listed or []))
    assert {0, 63} <= listed_cells


def test_attacks_that_lose_to_threats_are_left_out(solver: core.Solver) -> None:
    random, dropped = Random(5), 0
    for _ in range(60):
        attacker, defender = greedy_position(random, 10, 25)
        if wins_by_threats(attacker, defender):
            continue
        listed = solver.moves(attacker, defender, True, 64, 64) or []
        board = board_of(attacker, defender)
        keys = {key_after(board, cell) for cell in listed}
        for cell in cells(BOARD & ~(attacker | defender)):
            if key_after(board, cell) not in keys:
                after = attacker | 1 << cell
                assert completions(defender, attacker) or not completions(after, defender)
                assert wins_by_threats(defender, after)
                dropped += 1
    assert dropped > 100


@pytest.mark.parametrize(("plies", "positions"), [(1, 2), (2, 35), (3, 757), (4, 20_851)])
def test_positions_up_to_symmetry(plies: int, positions: int) -> None:
    frontier = {(0, 0)}
    for ply in range(plies):
        below = set()
        for first, second in frontier:
            for cell in range(64):
                if not (first | second) >> cell & 1:
                    form = core.canonical(
                        first | (1 << cell if ply % 2 == 0 else 0),
                        second | (1 << cell if ply % 2 else 0),
                    )
                    below.add(form[:2])
        frontier = below
    assert len(frontier) == positions


def test_canonical_form_and_back() -> None:
    board = Board("qubic").playout(3)
    while board.ply > 12:
        board.pop()
    first = sum(1 << i for i, mark in enumerate(board.marks) if mark == "x")
    second = sum(1 << i for i, mark in enumerate(board.marks) if mark == "o")
    images = set()
    for which in range(192):
        marks = board.transform(which).marks
        words = [sum(1 << i for i, mark in enumerate(marks) if mark == side) for side in "xo"]
        images.add((*words,))
        assert core.canonical(*words)[:2] == core.canonical(first, second)[:2]
    least_first, least_second, which = core.canonical(first, second)
    assert (least_first, least_second) == min(images)
    back = sum(1 << core.from_canonical(which, i) for i in range(64) if least_first >> i & 1)
    assert back == first


# --- whole positions ------------------------------------------------------------------------------


def late_position(seed: int, empty: int) -> Board:
    """A running game with `empty` empty cells, played by safe moves where there are some."""
    random = Random(seed)
    while True:
        board = Board("qubic")
        while board.ply < 64 - empty and not board.is_game_over():
            safe = [move for move in board.safe_moves() if move not in board.wins()]
            board.push(random.choice(safe or board.legal_moves))
        if not board.is_game_over():
            return board


def minimax(board: Board, known: dict[Board, int]) -> int:
    result = board.outcome_value()
    if result is not None:
        return result
    if board not in known:
        best = -1
        for move in board.legal_moves:
            board.push(move)
            best = max(best, -minimax(board, known))
            board.pop()
            if best == 1:
                break
        known[board.copy()] = best
    return known[board]


def test_values_equal_minimax() -> None:
    solver = QubicSolver(hash=16)
    values = []
    for seed in range(40):
        board = late_position(seed, 8 + seed % 3)
        found = solver.solve(board)
        value = minimax(board, {})
        assert {"win": 1, "draw": 0, "loss": -1}[found.value] == value, board
        if value == 1:
            board.push(str(found.move))
            assert minimax(board, {}) == -1
        values.append(value)
    assert set(values) == {-1, 0, 1}


def test_solves_openings_with_and_without_the_book() -> None:
    board = Board("qubic")
    board.push_moves("111 222")
    found = QubicSolver(hash=16).solve(board)
    assert (found.value, found.details["expansions"]) == ("win", 0)
    board.push_moves("444 333")
    solver = QubicSolver(hash=64)
    found = solver.solve(board, nodes=40_000_000, no_book=True)
    assert found.value == "win"
    assert found.details["threat_nodes"] == found.nodes
    assert found.details["expansions"] > 100
    board.push(str(found.move))
    assert solver.solve(board, nodes=40_000_000, no_book=True).value == "loss"


def test_limits_and_other_games() -> None:
    solver = QubicSolver(hash=16)
    board = Board("qubic")
    board.push_moves("112")
    found = solver.solve(board, nodes=30_000)
    assert (found.value, found.game_score, found.low, found.high) == ("unknown", None, None, None)
    assert found.nodes < 200_000
    with pytest.raises(ValueError, match="is for qubic"):
        solver.solve(Board("connect4"))
    with pytest.raises(ValueError, match="nodes=0"):
        solver.solve(board, nodes=0)
    with pytest.raises(ValueError, match="hash=1"):
        QubicSolver(hash=1)
    with pytest.raises(ValueError, match="threads=0"):
        QubicSolver(threads=0)
    assert solver_class("qubic") is QubicSolver


def test_two_threads_prove_the_same() -> None:
    board = Board("qubic")
    board.push_moves("111 444 222 333")
    found = QubicSolver(hash=64, threads=2).solve(board, nodes=100_000_000, no_book=True)
    assert found.value == "win"


@pytest.mark.parametrize(
    ("attacker", "defender"),
    [([17, 57, 55, 24, 60], [29, 61, 33, 59, 41]), ([28, 2, 47, 29, 53], [48, 42, 61, 33, 18])],
)
def test_a_proof_is_valid_for_its_limits_only(attacker: list[int], defender: list[int]) -> None:
    """With one move per position there is no win, with twelve there is; what was found for one
    number must not be used for the other."""
    solver = QubicSolver(hash=16).core
    for later in (1, 12, 1):
        found = solver.prove(word(attacker), word(defender), True, 8, later, 10_000_000, 0.0)
        assert (found["proof"] == 0) == (later == 12)
        assert (found["disproof"] == 0) == (later == 1)


def test_every_thread_does_its_share() -> None:
    """A thread gets half of the nodes: more than half of them need two."""
    solver = QubicSolver(hash=16, threads=2).core
    found = solver.prove(word([0]), word([1]), True, 64, 64, 8_000_000, 0.0)
    assert 0 < found["proof"] < 2**27
    assert found["threat_nodes"] > 4_200_000


def test_stop_and_progress() -> None:
    board = Board("qubic")
    board.push_moves("112")
    solver = QubicSolver(hash=16)
    lines: list[str] = []

    def note(found: Solution) -> None:
        lines.append(progress(found))
        if len(lines) == 2:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"), at_most(30):
        solver.solve(board, time=600, on_info=note)
    assert all("proof" in line and "positions" in line for line in lines)


def test_ctrl_c() -> None:
    board = Board("qubic")
    board.push_moves("112")
    solver = QubicSolver(hash=16, threads=2)
    with pytest.raises(KeyboardInterrupt), during_search(ctrl_c):
        solver.solve(board, time=600)
    assert solver.solve(board, nodes=10_000).value == "unknown"


def test_the_search_sees_threat_wins() -> None:
    """Without the solver, at depth 1, the search claims exactly the wins that the naive threat
    search sees, and losses only where every move loses to a threat sequence."""
    engine = Engine("qubic", hash=1, solver=False)
    wins = losses = followed = 0
    for seed in range(120):
        mine, theirs = greedy_position(Random(seed), 12, 60)
        found = engine.search(board_of(mine, theirs), depth=1)
        win = found.proven and found.score.sign > 0
        assert win == wins_by_threats(mine, theirs)
        if found.proven and not win:
            losses += 1
            free = cells(BOARD & ~(mine | theirs))
            assert all(wins_by_threats(theirs, mine | 1 << cell) for cell in free)
        line = [move.number for move in found.line]
        if win and len(line) == found.plies:  # else the table cut it short
            followed += 1
            assert is_winning_sequence(mine, theirs, line)
        wins += win
    assert wins > 20
    assert losses > 2
    assert followed > 10


def test_with_limits_a_lost_game_is_searched_too() -> None:
    """The strategy says only how long the win takes; the search chooses the move that resists best.
    Without limits that search would have no end."""
    engine, board = Engine("qubic", hash=1), Board("qubic")
    board.push("111")
    found = engine.search(board, nodes=20_000)
    assert found.proven
    assert found.score.value == "loss"
    assert found.horizon > 0
    assert engine.search(board).horizon == 0


def test_engine_threats(capsys: pytest.CaptureFixture[str]) -> None:
    engine = Engine("qubic", hash=1)
    board = Board("qubic")
    assert engine.threats(board) is None
    mine, theirs = 1 << 22 | 1 << 30 | 1 << 56 | 1 << 57, 1 << 28 | 1 << 29 | 1 << 51 | 1 << 59
    board = board_of(mine, theirs)
    sequence = engine.threats(board)
    assert sequence is not None
    assert is_winning_sequence(mine, theirs, [move.number for move in sequence])
    with pytest.raises(ValueError, match="is for qubic"):
        engine.threats(Board("connect4"))
    with pytest.raises(ValueError, match="no threat search"):
        Engine("tictactoe", hash=1).threats(Board("tictactoe"))
    arguments = ["analyse", "qubic", "--position", board.text(), "--depth", "1"]
    assert main(arguments) == 0
    assert "win by threats: " + " ".join(sequence) in capsys.readouterr().out.splitlines()
    assert main([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["threats"] == sequence
