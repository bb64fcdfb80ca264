"""Every named evaluation against its definition, computed slowly from the marks."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from support.reference import OTHER, Reference, lines_of, reference
from ttt import Board, Engine, Score, minimax_search

SMALL = lines_of((3, 3), 3)
CUBE = lines_of((4, 4, 4), 4)


def small_boards(board: Board) -> list[str]:
    return [board.marks[9 * i : 9 * i + 9] for i in range(9)]


def held(cells: str, side: str, number: int) -> int:
    """Lines of a small board with this many marks of a side, the other cells empty."""
    texts = ["".join(cells[cell] for cell in line) for line in SMALL]
    return sum(text.count(side) == number and text.count(".") == 3 - number for text in texts)


def line_weights(board: Board, side: str) -> int:
    return sum(
        10 * held(cells, side, 2) + 5 * held(cells, side, 1) for cells in small_boards(board)
    )


def boards_with_a_two(board: Board, side: str) -> int:
    return sum(held(cells, side, 2) > 0 for cells in small_boards(board))


def twos_of_both_kinds(board: Board, side: str) -> int:
    owners = board.picture()[2]
    boards = small_boards(board)
    open_boards = [i for i in range(9) if owners[i] == "." and "." in boards[i]]
    # A full small board without an owner blocks a line of boards for both sides.
    big = "".join("." if i in open_boards else owners[i].replace(".", "#") for i in range(9))
    return sum(held(boards[i], side, 2) for i in open_boards) + 10 * held(big, side, 2)


def one_ten_hundred(board: Board, side: str) -> int:
    worth = {0: 0, 1: 1, 2: 10, 3: 100}
    return sum(worth[sum(board.marks[cell] == side for cell in line)] for line in CUBE)


def open_lines(marks: str, lines: list[tuple[int, ...]], side: str) -> list[int]:
    """The number of stones on each line that is open to a side: the other side has none there."""
    texts = ["".join(marks[cell] for cell in line) for line in lines]
    return [text.count(side) for text in texts if OTHER[side] not in text]


def powers_of_four(board: Board, side: str) -> int:
    """m,n,k: 1, 4, 16, ... up to 1,024 for each open line, by its stones."""
    m, n, k = (board.options.get(name, 3) for name in "mnk")
    found = open_lines(board.marks, lines_of((n, m), k), side)
    return sum(min(4 ** (stones - 1), 1024) for stones in found if stones)


def one_six_thirty(board: Board, side: str) -> int:
    worth = {0: 0, 1: 1, 2: 6, 3: 30}
    return sum(worth[stones] for stones in open_lines(board.marks, CUBE, side))


def threats(board: Board, side: str) -> int:
    """Nine-board: 20 for each board with a line to complete, 2 and 1 for open twos and ones."""
    lines = sum(2 * held(cells, side, 2) + held(cells, side, 1) for cells in small_boards(board))
    return 20 * boards_with_a_two(board, side) + lines


def weighted_boards(board: Board, side: str) -> int:
    """Ultimate's open-lines: 1 and 5 for an open line of one and two stones on an undecided board,
    20 for an owned board, both times the lines of boards through it; 12 and 60 for open lines of
    one and two owned boards."""
    owners = board.picture()[2]
    boards = small_boards(board)
    through = [sum(i in line for line in SMALL) for i in range(9)]
    undecided = [i for i in range(9) if owners[i] == "." and "." in boards[i]]
    big = "".join("." if i in undecided else owners[i].replace(".", "#") for i in range(9))
    found = sum(
        through[i] * (held(boards[i], side, 1) + 5 * held(boards[i], side, 2)) for i in undecided
    )
    found += sum(20 * through[i] for i in range(9) if owners[i] == side)
    return found + 12 * held(big, side, 1) + 60 * held(big, side, 2)


Evaluation = tuple[str, dict[str, Any], str, Callable[[Board, str], int]]

DIFFERENCES: list[Evaluation] = [
    ("nineboard", {}, "line-weights", line_weights),
    ("nineboard", {}, "two-in-a-row", boards_with_a_two),
    ("nineboard", {}, "threats", threats),
    ("nineboard", {"full": "draw"}, "threats", threats),
    ("ultimate", {}, "two-in-a-row", twos_of_both_kinds),
    ("ultimate", {}, "open-lines", weighted_boards),
    ("ultimate", {"tie": "boards"}, "open-lines", weighted_boards),
    ("qubic", {}, "one-ten-hundred", one_ten_hundred),
    ("qubic", {}, "default", one_six_thirty),
    ("tictactoe", {}, "default", powers_of_four),
    ("mnk", {"m": 8, "n": 8, "k": 5}, "default", powers_of_four),
    ("mnk", {"m": 7, "n": 5, "k": 7}, "default", powers_of_four),
    ("mnk", {"m": 5, "n": 12, "k": 8}, "default", powers_of_four),
]
"""Evaluations that are a count for one side less the same count for the other."""


@pytest.mark.parametrize("evaluation", DIFFERENCES, ids=lambda case: f"{case[0]}-{case[2]}")
def test_one_side_less_the_other(evaluation: Evaluation) -> None:
    game, options, name, count = evaluation
    engine = Engine(game, hash=1, evaluation=name, **options)
    random = Random(2)
    for seed in range(60):
        board = Board(game, **options).playout(seed)
        for _ in range(random.randrange(1, len(board.moves) + 1)):
            board.pop()
        expected = count(board, board.turn) - count(board, OTHER[board.turn])
        assert engine.evaluate(board) == expected, board.text()


def test_the_worth_of_a_line_stops_at_1024() -> None:
    for text in (
        "xxxxxxx....o/oooooo.....x",
        "xxxxxxx...../ooooo..oo...",
        "xxx.xxx.x.../oooooo.o....",
    ):
        board = Board.parse(f"mnk:m=12,n=2,k=10 {text} {'xo'[text.count('x') > text.count('o')]}")
        count = powers_of_four(board, board.turn) - powers_of_four(board, OTHER[board.turn])
        assert Engine("mnk", hash=1, **board.options).evaluate(board) == count
    board = Board.parse("mnk:m=12,n=3,k=12 xxxxxxx...../ooo........./oooo........ x")
    assert Engine("mnk", hash=1, **board.options).evaluate(board) == 1024 - 16 - 64


def slow_minimax(
    slow: Reference, board: Board, depth: int, plies: int, count: Callable[[Board, str], int]
) -> float:
    """The value for the side to move, by the slow rules and the definition of the evaluation; a
    win in n plies is worth 10^6 - n."""
    outcome = slow.outcome()
    if outcome is not None:
        return {slow.turn: 10**6 - plies, None: 0, OTHER[slow.turn]: plies - 10**6}[outcome[0]]
    if depth == 0:
        return count(board, board.turn) - count(board, OTHER[board.turn])
    found = []
    for number in slow.legal():
        after, played = slow.copy(), board.copy()
        after.play(number)
        played.push(board.ruleset.moves[number])
        found.append(-slow_minimax(after, played, depth - 1, plies + 1, count))
    return max(found)


@pytest.mark.parametrize("evaluation", DIFFERENCES, ids=lambda case: f"{case[0]}-{case[2]}")
def test_minimax_takes_the_best_of_the_worst(evaluation: Evaluation) -> None:
    """Both textbook algorithms and the engine without selection, against the slow rules and the
    definitions above: late positions, in which some moves decide the game."""
    game, options, name, count = evaluation
    random = Random(name)
    engine = Engine(game, hash=1, evaluation=name, selective=False, **options)
    for _ in range(8):
        board = Board(game, **options).playout(random.randrange(2**32))
        for _ in range(random.randrange(1, 5)):
            board.pop()
        slow = reference(game, **options)
        for move in board.moves:
            slow.play(move.number)
        depth = random.choice((1, 2)) if len(board.legal_moves) < 14 else 1
        value = slow_minimax(slow, board, depth, 0, count)
        plies = int(10**6 - abs(value))
        if plies < 1000:
            expected = Score.win(plies) if value > 0 else Score.loss(plies)
        else:
            expected = Score(int(value))
        for algorithm in ("minimax", "alphabeta"):
            found = minimax_search(board, algorithm, depth, name)
            assert found.score == expected, (algorithm, depth, board.text())
        engine.clear()
        assert engine.search(board, depth=depth).score == expected, (depth, board.text())


UP = [1, 2, 3, 3, 2, 1]
ALONG = [1, 2, 3, 4, 3, 2, 1]
UP_RIGHT = ["0001111", "0012221", "0123321", "1233210", "1222100", "1111000"]
DIRECTIONS: list[tuple[int, int, Callable[[int, int], int]]] = [
    (0, 1, lambda column, row: UP[row]),
    (-1, 0, lambda column, row: ALONG[column]),
    (1, 0, lambda column, row: ALONG[column]),
    (-1, 1, lambda column, row: int(UP_RIGHT[row][6 - column])),
    (1, 1, lambda column, row: int(UP_RIGHT[row][column])),
]


def attack_and_block(marks: str, player: str) -> tuple[int, int]:
    """For a player, by columns and rows from the bottom left."""

    def mark(column: int, row: int) -> str:
        inside = 0 <= column < 7 and 0 <= row < 6
        return marks[(5 - row) * 7 + column] if inside else "#"

    enemy = "o" if player == "x" else "x"
    attack = block = 0
    for column in range(7):
        for row in range(6):
            for right, up, weight in DIRECTIONS:
                if mark(column, row) == player:
                    for steps, times in ((1, 1), (2, 2), (3, 4)):
                        if mark(column + steps * right, row + steps * up) not in (player, "."):
                            break
                        attack += times * weight(column, row)
                elif mark(column, row) == enemy == mark(column + right, row + up):
                    ends = (
                        mark(column - right, row - up),
                        mark(column + 2 * right, row + 2 * up),
                    )
                    block += 50 * (player in ends)
    return attack, block


def test_attack_and_block_by_its_worked_example() -> None:
    marks = "......." + "...x..." * 3 + "..oo..." + ".oox..."
    assert attack_and_block(marks, "x") == (299, 150)


def test_attack_and_block() -> None:
    engine = Engine("connect4", hash=1, evaluation="attack-block")
    for seed in range(200):
        board = Board("connect4").playout(seed)
        for _ in range(1 + seed % len(board.moves)):
            board.pop()
        assert engine.evaluate(board) == sum(attack_and_block(board.marks, board.turn))


def lines_and_threats(board: Board) -> int:
    """Connect Four's default for the side to move, by columns and rows from the bottom left."""
    columns, rows, connect = (board.options[name] for name in ("columns", "rows", "connect"))
    cells = {
        (column, row): board.marks[(rows - 1 - row) * columns + column]
        for column in range(columns)
        for row in range(rows)
    }
    lines = [
        [(column + step * right, row + step * up) for step in range(connect)]
        for column, row in cells
        for right, up in ((0, 1), (1, 0), (1, 1), (1, -1))
    ]
    lines = [line for line in lines if all(cell in cells for cell in line)]
    sides = {"x": 1, "o": -1}
    value = 0
    wins: dict[str, set[tuple[int, int]]] = {"x": set(), "o": set()}
    for line in lines:
        marks = "".join(cells[cell] for cell in line)
        for side, sign in sides.items():
            missing = marks.count(".")
            if marks.count(side) == connect - missing > 0:
                value += sign * {2: 10, 3: 4, 4: 2, 5: 1}.get(missing, 0)
                if missing == 1:
                    wins[side].add(line[marks.index(".")])
    for side, other in ("xo", "ox"):
        for column, row in wins[side]:
            if not any((column, lower) in wins[other] for lower in range(row)):
                odd, even = {"x": (67, 11), "o": (28, 43)}[side]
                value += sides[side] * (even if row % 2 else odd)
    return 32 + sides[board.turn] * value


@pytest.mark.parametrize(
    ("columns", "rows", "connect"),
    [(7, 6, 4), (8, 7, 4), (9, 6, 4), (5, 4, 3), (8, 7, 5), (1, 9, 2)],
)
def test_lines_and_threats(columns: int, rows: int, connect: int) -> None:
    start = Board("connect4", columns=columns, rows=rows, connect=connect)
    engine = Engine("connect4", hash=1, **start.options)
    for seed in range(200):
        board = start.playout(seed)
        for _ in range(1 + seed % len(board.moves)):
            board.pop()
        assert engine.evaluate(board) == lines_and_threats(board), board.text()


@pytest.mark.parametrize("game", ["mnk", "connect4", "qubic", "nineboard", "ultimate"])
def test_none_is_zero_and_default_is_symmetric(game: str) -> None:
    nothing, default = Engine(game, hash=1, evaluation="none"), Engine(game, hash=1)
    for seed in range(30):
        board = Board(game).playout(seed)
        for _ in range(1 + seed % len(board.moves)):
            board.pop()
        assert nothing.evaluate(board) == 0
        for image in board.symmetries()[:8]:
            assert default.evaluate(image) == default.evaluate(board)


@pytest.mark.parametrize("won", ["closed", "open"])
@pytest.mark.parametrize("tie", ["draw", "boards"])
def test_the_first_position_of_ultimate_is_learned_too(tie: str, won: str) -> None:
    """Training games begin with random moves; some of them must not, or the network knows nothing
    of the first position. 100 is a log-odds of 1."""
    board = Board("ultimate", tie=tie, won=won)
    engine = Engine("ultimate", hash=16, tie=tie, won=won)
    found = engine.search(board, nodes=300_000).score.evaluation
    assert found is not None
    assert abs(engine.evaluate(board) - found) < 100
    assert 0 < found < 150
