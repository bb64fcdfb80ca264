"""Moves as single tokens, and positions as the protocols write them."""

from ttt.board import Board
from ttt_core.errors import BadNotation, shorten
from ttt_core.move import Move


def token(move: str) -> str:
    """A move without blanks: 56, never 5 6."""
    return move.replace(" ", "")


def read_token(board: Board, text: str) -> Move:
    """The move that one token means, legal or not."""
    if len(text.split()) != 1:
        raise BadNotation(f"{shorten(text)} is not a move: expected one word")
    return board.parse_move(text)
