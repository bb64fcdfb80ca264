"""20,000 random positions of the middle game: the scores of BitBully, another solver."""

from random import Random

import pytest

from ttt import Board
from ttt.solvers.connect4 import Connect4Solver

pytest.importorskip("bitbully", reason="BitBully is not installed: the extra [bench] brings it")

POSITIONS = 20_000


def test_random_positions() -> None:
    from bitbully import bitbully_core

    theirs = bitbully_core.BitBullyCore()
    dice = Random("bitbully")
    texts: list[str] = []
    while len(texts) < POSITIONS:
        board = Board("connect4").playout(dice.randrange(2**32))
        want = dice.randint(16, 36)
        if board.ply <= want:
            continue
        while board.ply > want:
            board.pop()
        texts.append("".join(board.moves))
    for text, score in zip(texts, Connect4Solver().solve_many(texts), strict=True):
        board = bitbully_core.BoardCore()
        for column in text:
            board.play(int(column) - 1)
        assert theirs.mtdf(board, 0) == score, text
