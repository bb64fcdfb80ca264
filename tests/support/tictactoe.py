"""Every position of tic-tac-toe, and the value of its moves by the slow rules."""

from collections.abc import Iterator
from functools import cache

from support.reference import reference
from ttt import Board


def positions() -> Iterator[Board]:
    """All 5,478 positions, finished games too."""
    seen: set[str] = set()
    frontier = [Board("tictactoe")]
    while frontier:
        board = frontier.pop()
        if board.marks in seen:
            continue
        seen.add(board.marks)
        yield board
        for move in board.legal_moves:
            after = board.copy()
            after.push(move)
            frontier.append(after)
    assert len(seen) == 5_478


def values(board: Board) -> dict[int, int]:
    """The value of each move: 100 - plies to a win, 0 for a draw, plies - 100 for a loss."""
    return {
        move.number: value_of_move(board.marks, board.turn, move.number)
        for move in board.legal_moves
    }


def value_of_move(marks: str, turn: str, move: int) -> int:
    after = marks[:move] + turn + marks[move + 1 :]
    value = -value_of(after, "o" if turn == "x" else "x")
    return value - 1 if value > 0 else value + 1 if value < 0 else 0


@cache
def value_of(marks: str, turn: str) -> int:
    """The value of a position for the side to move."""
    slow = reference("tictactoe")
    slow.marks, slow.turn = list(marks), turn
    outcome = slow.outcome()
    if outcome is not None:
        return 0 if outcome[0] is None else -100
    return max(value_of_move(marks, turn, move) for move in slow.legal())
