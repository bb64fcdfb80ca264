"""A player that fails."""

from ttt import Board


def broken(board: Board) -> str:
    raise RuntimeError("broken")
