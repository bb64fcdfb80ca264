"""Outcomes: how games end."""

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from ttt.notation import RESULTS

if TYPE_CHECKING:
    from ttt_core.interface import Side


class Termination(str, Enum):
    """Why a game ended. Each member equals its text: `Termination.LINE == "line"`."""

    LINE = "line"
    """A line is complete."""
    BOARDS = "boards"
    """No move is left, and the side with more boards wins (ultimate, tie=boards)."""
    FULL = "full"
    """A draw: no move is left."""
    POINTED = "pointed"
    """A draw: the last move points to a full board (nineboard, full=draw)."""

    __str__ = str.__str__


DRAWN_BY = {
    Termination.FULL: "no move is left",
    Termination.POINTED: "the last move points to a full board",
}


class Outcome(NamedTuple):
    """How a game ended."""

    winner: "Side | None"
    """"x", "o", or None for a draw."""
    termination: Termination
    """Why it ended."""
    line: tuple[int, ...]
    """The cells of the winning lines, as indexes into `Board.marks`."""

    def result(self) -> str:
        """ "1-0" if x has won, "0-1" if o has, "1/2-1/2" for a draw."""
        return RESULTS[self.winner]

    def __str__(self) -> str:
        if self.winner is None:
            return "a draw: " + DRAWN_BY[self.termination]
        how = ": more boards" if self.termination is Termination.BOARDS else ""
        return f"{self.winner} wins{how}"
