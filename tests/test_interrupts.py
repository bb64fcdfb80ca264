"""Ctrl-C during the search of a player leaves its best move so far."""

import pytest

from support.interrupts import ctrl_c, during_search
from ttt import Board
from ttt.players.spec import make_player
from ttt.search.result import Interrupted


@pytest.mark.parametrize(
    "spec", ["engine:time=60", "mcts:time=60", "montecarlo:time=60", "alphabeta:depth=30"]
)
def test_the_best_move_so_far(spec: str) -> None:
    board = Board("qubic")
    board.push_moves("111 222 333")
    with pytest.raises(Interrupted) as stop, during_search(ctrl_c):
        make_player(spec, board).choose(board)
    assert isinstance(stop.value, KeyboardInterrupt)
    if spec.startswith("alphabeta"):  # no move of the root is finished
        assert stop.value.move is None
    else:
        assert stop.value.move in board.legal_moves
