"""The Connect Four solver against published scores, slow minimax, known board sizes, and itself
without its static bounds."""

from functools import cache
from random import Random

import pytest

from support.data import connect4_lines
from support.interrupts import during_search
from support.reference import reference
from ttt import BadNotation, Board, Engine
from ttt.solvers.connect4 import Connect4Solver
from ttt_core.solvers.connect4 import solver as narrow
from ttt_core.solvers.connect4 import wide

UNLIMITED = 2**62

# Columns, rows: the score of the empty board. Winners by J. Tromp, scores by C. Steininger
# (https://github.com/ChristopheSteininger/c4).
SIZES = {
    (4, 4): 0,
    (4, 5): 0,
    (5, 4): 0,
    (4, 6): 0,
    (6, 4): -1,
    (5, 5): 0,
    (4, 7): 0,
    (7, 4): 0,
    (5, 6): 0,
    (6, 5): 0,
    (4, 8): 0,
    (8, 4): -1,
    (6, 6): -1,
}


def lines(name: str, count: int, step: int = 1) -> list[list[str]]:
    return [line.split() for line in connect4_lines(name)][: count * step : step]


@pytest.mark.parametrize(
    ("name", "count", "step"),
    [
        ("L3_R1", 500, 1),
        ("L2_R1", 500, 1),
        ("L2_R2", 500, 1),
        ("L1_R1", 500, 1),
        ("L1_R2", 60, 8),
        ("L1_R3", 6, 80),
    ],
)
def test_published_scores(name: str, count: int, step: int) -> None:
    positions = lines(name, count, step)
    solver = Connect4Solver()
    assert solver.solve_many([moves for moves, _ in positions]) == [
        int(score) for _, score in positions
    ]


@pytest.mark.parametrize(
    ("name", "count"), [("L3_R1", 500), ("L2_R1", 500), ("L2_R2", 150), ("L1_R1", 10)]
)
def test_published_columns(name: str, count: int) -> None:
    engine = Engine("connect4")
    for moves, texts in lines(f"permove_{name}", count):
        board = Board("connect4")
        board.push_moves(moves)
        values = {
            str(column): -int(text)
            for column, text in enumerate(texts.split(","), 1)
            if text != "43"
        }
        moves_found = engine.solve_moves(board)
        assert {entry.move: entry.game_score for entry in moves_found} == values
        found = engine.solve(board)
        assert found.game_score == max(values.values())
        assert found.best == [move for move in values if values[move] == found.game_score]
        assert found.move in found.best


@cache
def slow_score(columns: int, rows: int, moves: str) -> int:
    """Minimax by the reference rules: 1 + the discs that the winner has left."""
    game = reference("connect4", columns=columns, rows=rows, connect=4)
    for move in moves:
        game.play(int(move))
    outcome = game.outcome()
    if outcome is not None:
        return 0 if outcome[0] is None else -((columns * rows + 2 - len(moves)) // 2)
    return max(-slow_score(columns, rows, f"{moves}{move}") for move in game.legal())


@pytest.mark.parametrize(("columns", "rows"), [(4, 4), (5, 4), (4, 5), (4, 6)])
def test_slow_minimax_agrees(columns: int, rows: int) -> None:
    random = Random(columns * 10 + rows)
    cores = [narrow.Solver(columns, rows, 1), wide.Solver(columns, rows, 1)]
    done = 0
    while done < 20:
        board = Board("connect4", columns=columns, rows=rows).playout(random.randrange(2**32))
        least = columns * rows - random.randrange(6)
        if board.ply < least:
            continue
        while board.ply > least:
            board.pop()
        moves = "".join(str(move.number) for move in board.moves)
        want = slow_score(columns, rows, moves)
        for core in cores:
            found = core.solve(*core.pack(board.marks, board.turn), False, UNLIMITED, 0.0, 1, None)
            assert found["low"] == found["high"] == want, board.text()
        done += 1


@pytest.mark.parametrize(("size", "score"), SIZES.items())
def test_known_sizes(size: tuple[int, int], score: int) -> None:
    found = Connect4Solver(columns=size[0], rows=size[1]).solve(
        Board("connect4", columns=size[0], rows=size[1])
    )
    assert found.game_score == score
    if size[0] * size[1] <= 28:
        core = wide.Solver(*size, 16)
        assert core.solve(0, 0, False, UNLIMITED, 0.0, 1, None)["low"] == score


def middle_games(random: Random, count: int, least: int, most: int) -> list[Board]:
    found: list[Board] = []
    while len(found) < count:
        board = Board("connect4").playout(random.randrange(2**32))
        want = random.randint(least, most)
        while board.moves and (board.ply > want or board.is_game_over()):
            board.pop()
        if board.ply == want:
            found.append(board)
    return found


def test_mirrored_weak_and_threads() -> None:
    boards = middle_games(Random(1), 200, 20, 40)
    solver = Connect4Solver(hash=1)
    scores = solver.solve_many(boards)
    assert Connect4Solver(hash=1).solve_many([board.mirror() for board in boards]) == scores
    signs = [(score > 0) - (score < 0) for score in scores]
    assert Connect4Solver(hash=1).solve_many(boards, weak=True) == signs
    assert Connect4Solver(hash=1).solve_many(boards, threads=2) == scores
    two = Connect4Solver(hash=1, threads=2)
    for board, score in list(zip(boards, scores, strict=True))[:20]:
        found = two.solve(board)
        assert found.game_score == score
        weak = two.solve(board, weak=True)
        assert weak.value == {1: "win", 0: "draw", -1: "loss"}[(score > 0) - (score < 0)]
        assert weak.game_score is None
        assert set(found.best) <= set(weak.best)


def test_threads_that_put_off_moves_find_the_same_scores() -> None:
    """Early positions: in the last plies threads do not put off moves."""
    boards = middle_games(Random(3), 40, 12, 17)
    for board, score in zip(boards, Connect4Solver(hash=4).solve_many(boards), strict=True):
        assert Connect4Solver(hash=4, threads=3).solve(board).game_score == score


def test_best_play_takes_the_announced_plies() -> None:
    """Best play on both sides ends the game on the ply announced."""
    solver = Connect4Solver(hash=1)
    for board in middle_games(Random(2), 15, 18, 34):
        first = solver.solve(board)
        want = 42 if first.plies is None else board.ply + first.plies
        while not board.is_game_over():
            move = solver.solve(board).move
            assert move is not None
            board.push(move)
        assert board.ply == want
        over = solver.solve(board)
        assert (over.move, over.best, over.plies or 0) == (None, [], 0)


CLAIMS = 4_000


@pytest.mark.parametrize("second", [False, True])
def test_static_bounds_are_sound(second: bool) -> None:
    """Scores claimed by each static bound against the search without any;
    `python tests/test_connect4_solver.py N` checks N claims of each."""
    check_static_bounds(second, CLAIMS)


def check_static_bounds(second: bool, claims: int) -> None:
    random = Random(3 + second)
    core = narrow.Solver(7, 6, 16)
    core.static_bounds = False
    left = claims
    while left > 0:
        board = Board("connect4").playout(random.randrange(2**32))
        while board.moves:
            board.pop()
            if board.ply < 20 or board.is_game_over() or (board.ply % 2 == 0) != second:
                continue
            mine, theirs = core.pack(board.marks, board.turn)
            beaten = [
                alpha for alpha in range(-1, 3) if core.static_bound_beats(theirs, mine, alpha)
            ]
            if beaten:
                left -= 1
                found = core.solve(mine, theirs, False, UNLIMITED, 0.0, 1, None)
                assert -found["high"] > max(beaten), board.text()


def test_static_bounds_do_not_change_scores() -> None:
    boards = middle_games(Random(4), 60, 18, 30)
    solver, bare = Connect4Solver(hash=4), Connect4Solver(hash=4)
    bare.core.static_bounds = False
    assert solver.solve_many(boards) == bare.solve_many(boards)


def test_many_positions() -> None:
    solver = Connect4Solver()
    assert solver.solve_many([]) == []
    assert solver.solve_many(["4455", Board("connect4").playout(3)], nodes=100)[0] == 18
    assert solver.solve_many([""], nodes=5_000) == [None]
    assert solver.solve_many(["", "4455"], nodes=5_000, weak=True) == [None, 1]
    assert solver.solve_many([""], time=0.01) == [None]
    for bad in ("48", "4444444", "x", "12121212"):
        with pytest.raises(ValueError, match=r"not a move|full|over"):
            solver.solve_many([bad])
    for odd in (5, None, Board("qubic")):
        with pytest.raises(BadNotation):
            solver.solve_many([odd])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="other options"):
        solver.solve_many([Board("connect4", columns=6)])
    twelve = Connect4Solver(columns=12, rows=4)
    assert twelve.solve_many(["1 12 1 12 1 12"]) == [21]


@pytest.mark.parametrize("nodes", [1, 5, 100, 1_000, 1_025])
def test_node_limits_are_exact(nodes: int) -> None:
    solver = Connect4Solver(hash=1)
    assert solver.solve(Board("connect4"), nodes=nodes).nodes == nodes


def test_arrays() -> None:
    np = pytest.importorskip("numpy", reason="numpy is not installed")
    scores, low, high, nodes = Connect4Solver().solve_many(["4455", ""], nodes=100, arrays=True)
    assert scores[0] == low[0] == high[0] == 18
    assert low[1] < high[1]
    assert nodes.dtype == np.uint64


def test_bad_settings() -> None:
    with pytest.raises(TypeError, match="unknown setting"):
        Connect4Solver().solve(Board("connect4"), quick=True)
    with pytest.raises(ValueError, match="connect=5: expected 4"):
        Connect4Solver(connect=5)
    with pytest.raises(ValueError, match="hash"):
        Connect4Solver(hash=0)
    with pytest.raises(ValueError, match="threads"):
        Connect4Solver(threads=0)
    with pytest.raises(ValueError, match="board size"):
        narrow.Solver(9, 6)
    with pytest.raises(ValueError, match="cells"):
        narrow.Solver(7, 6).pack("...", "x")


@pytest.mark.parametrize("threads", [1, 2])
def test_stop_from_another_thread(threads: int) -> None:
    solver = Connect4Solver(columns=8, rows=7, threads=threads)
    with during_search(solver.stop):
        found = solver.solve(Board("connect4", columns=8, rows=7), time=300)
    assert found.value == "unknown"
    assert found.seconds < 200


def random_board(random: Random, plies: int) -> Board:
    """A running game after random moves that do not lose at once, if there are any."""
    while True:
        board = Board("connect4")
        while board.ply < plies and not board.is_game_over():
            board.push(random.choice(board.safe_moves() or board.legal_moves))
        if not board.is_game_over():
            return board


@pytest.mark.parametrize("weak", [False, True])
def test_best_moves_are_those_with_the_best_score(weak: bool) -> None:
    """All moves of a position are judged in one call; here, each child is solved on its own."""
    random, solver, single = Random(7), Connect4Solver(), Connect4Solver()
    for _ in range(40):
        board = random_board(random, random.randrange(26, 36))
        scores = {}
        for move in board.legal_moves:
            after = board.copy()
            after.push(move)
            score = -(single.solve_many([after])[0])
            scores[move] = (score > 0) - (score < 0) if weak else score
        best = max(scores.values())
        solver.clear()
        found = solver.solve(board, weak=weak)
        assert found.best == [move for move in board.legal_moves if scores[move] == best]


def test_a_node_limit_ends_the_call_for_all_moves() -> None:
    solver = Connect4Solver()
    words = solver.pack("32164625")
    columns = list(range(7))
    found, unknown, nodes, raised = solver.core.moves_within(
        *words, columns, False, -11, True, 10, 30, 0
    )
    assert raised is None
    assert nodes <= 30
    assert unknown
    assert not set(found) & set(unknown)
    with pytest.raises(ValueError, match="column 7 cannot be played"):
        solver.core.moves_within(*words, [7], False, 0, True, 10, 30, 0)


def test_cleared_tables_are_empty() -> None:
    """The same nodes as with new tables, in the solver and in the engine."""
    board = Board("connect4")
    board.push_moves("32164625")
    fresh = Engine("connect4")
    first = fresh.solve(board).nodes, fresh.search(board, depth=8).nodes
    used = Engine("connect4")
    for moves in ("4455", "44444222", "3216462"):
        other = Board("connect4")
        other.push_moves(moves)
        used.solve(other, nodes=200_000)
        used.search(other, nodes=200_000)
    used.clear()
    assert (used.solve(board).nodes, used.search(board, depth=8).nodes) == first


if __name__ == "__main__":
    import sys

    for second in (False, True):
        check_static_bounds(second, int(sys.argv[1]))
        print(f"{sys.argv[1]} bounds of the {'second' if second else 'first'} player hold")
