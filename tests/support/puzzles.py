"""Proofs of puzzles by exhaustive search over the slow rules. Shares no code with the engine."""

from typing import Any

from support.reference import OTHER, Reference, reference
from ttt import Board


class OutOfNodes(Exception):
    """The position is too hard for a slow search."""


def slow_copy(board: Board) -> Reference:
    """The position of a board under the slow rules."""
    found = reference(board.game, **board.options)
    marks, in_force, owners = board.picture()
    found.marks = list(marks)
    found.turn = board.turn
    found.board = in_force if isinstance(in_force, int) else None
    if found.owners:
        found.owners = list(owners)
    return found


def key(position: Reference) -> tuple[Any, ...]:
    return "".join(position.marks), position.turn, position.board


class SlowProof:
    """Who wins, by search without any pruning beyond alpha-beta's cutoffs."""

    def __init__(self, nodes: int) -> None:
        self.left = nodes
        self.known: dict[tuple[Any, ...], bool] = {}

    def spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise OutOfNodes

    def wins_within(self, position: Reference, plies: int) -> bool:
        """Whether the side to move can win in at most so many plies."""
        name = (*key(position), plies)
        if name not in self.known:
            self.known[name] = self.search_win(position, plies)
        return self.known[name]

    def search_win(self, position: Reference, plies: int) -> bool:
        self.spend()
        side = position.turn
        running = []
        for after in (position._after(move) for move in position.legal()):
            outcome = after.outcome()
            if outcome is None:
                running.append(after)
            elif outcome[0] == side:
                return True
        return plies >= 3 and any(self.loses_within(after, plies - 1) for after in running)

    def loses_within(self, position: Reference, plies: int) -> bool:
        """Whether the side to move loses in at most so many plies, whatever it does."""
        replies = [position._after(move) for move in position.legal()]
        outcomes = [reply.outcome() for reply in replies]
        if any(outcome is not None and outcome[0] != OTHER[position.turn] for outcome in outcomes):
            return False
        return all(
            self.wins_within(reply, plies - 1)
            for reply, outcome in zip(replies, outcomes, strict=True)
            if outcome is None
        )

    def loses(self, position: Reference) -> bool:
        """Whether the side to move loses with best play, at any depth."""
        plies = position.marks.count(".") + 1
        for shallow in range(1, min(plies, 8), 2):
            if self.wins_within(position, shallow):
                return False
            if self.loses_within(position, shallow + 1):
                return True
        return self.loses_within(position, plies)
