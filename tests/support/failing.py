"""Players that fail."""

from ttt import Board


def broken(board: Board) -> str:
    raise RuntimeError("broken")
