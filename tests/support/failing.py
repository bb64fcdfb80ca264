"""Players that fail."""

import time

from ttt import Board


def broken(board: Board) -> str:
    raise RuntimeError("broken")


def slow(board: Board) -> str:
    time.sleep(0.2)
    return board.legal_moves[0]
