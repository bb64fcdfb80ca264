"""Review of a played game: the value of every move, and where the game was decided."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ttt.board import Board
from ttt.engine import Engine
from ttt.limits import Limit
from ttt.score import Score
from ttt.search.result import verdict_of
from ttt_core.move import Move

DEFAULT_LIMIT = Limit(nodes=200_000)
"""For each position."""
LABELS = ((0.2, "blunder"), (0.1, "mistake"), (0.05, "inaccuracy"))
"""The least loss of a label; a smaller loss is "good"."""


class ReviewedMove(NamedTuple):
    """A move of a game, what it was worth, and what would have been best. Scores are for the side
    that made the move."""

    ply: int
    """1 for the first move of the board's history."""
    side: str
    """The side that made the move, "x" or "o"."""
    move: Move
    """The move played."""
    before: Score
    """The score of the position: that of the best move."""
    before_proven: bool
    """Whether `before` is the true result."""
    after: Score
    """The score of the move played."""
    after_proven: bool
    """Whether `after` is the true result."""
    best: Move
    """The best move; the move played if nothing better was found."""
    loss: float
    """The winning chance given away, 0 to 1; a draw counts as a chance of a half."""
    label: str
    """ "best", "only" (the only legal move), "good", "inaccuracy", "mistake" or "blunder"."""

    def verdict(self) -> str:
        """The score of the move in words: "+12", "win in 5", "draw"."""
        return verdict_of(self.after, self.after_proven)

    def best_verdict(self) -> str:
        """The score of the best move in words."""
        return verdict_of(self.before, self.before_proven)


def winning_chance(score: Score, proven: bool, scale: float) -> float:
    """The chance to win, 0 to 1; a draw is 0.5. `scale` is `Board.evaluation_scale`."""
    if score.value is not None:
        return 1.0 if score.value == "win" else 0.0
    if proven or score.evaluation is None:
        return 0.5
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, score.evaluation / scale))))


def review(
    board: Board,
    engine: Engine | None = None,
    limit: Limit | None = None,
    on_info: Callable[[list[ReviewedMove]], None] | None = None,
) -> list[ReviewedMove]:
    """The moves of a board's history with their values, first move first.

    `limit` holds for each position; the default is 200,000 nodes. The last position is searched
    first, because what is known of the end helps to judge the moves before. `on_info` is called
    after each position with the moves reviewed so far, always the last ones of the game.
    `engine.stop()` from another thread ends the review, which then returns those moves.

    >>> board = Board("tictactoe")
    >>> board.push_moves("5 2 7 3 1")
    >>> [(entry.move, entry.label, entry.best) for entry in review(board)][:2]
    [(Move('5'), 'best', Move('5')), (Move('2'), 'blunder', Move('1'))]
    """
    if engine is None:
        with Engine(board.game, hash=32, **board.options) as own:
            return review(board, own, limit, on_info)
    reviewed: list[ReviewedMove] = []
    for reviewed in review_steps(board, engine, limit or DEFAULT_LIMIT):
        if on_info is not None:
            on_info(reviewed)
    return reviewed


def review_steps(board: Board, engine: Engine, limit: Limit) -> Iterator[list[ReviewedMove]]:
    """The work of `review`, position by position: the moves reviewed so far after each."""
    moves = board.moves
    position = board.copy()
    found = engine.search(position, limit)
    reply, reply_proven = found.score, found.proven
    reviewed: list[ReviewedMove] = []
    for ply in range(len(moves), 0, -1):
        if engine.stopped:
            return
        position.pop()
        entry = _review_move(position, moves[ply - 1], ply, reply, reply_proven, engine, limit)
        if engine.stopped:
            return
        reviewed.insert(0, entry)
        reply, reply_proven = entry.before, entry.before_proven
        yield list(reviewed)


def _review_move(
    position: Board,
    move: Move,
    ply: int,
    reply: Score,
    reply_proven: bool,
    engine: Engine,
    limit: Limit,
) -> ReviewedMove:
    """A move played in a position; `reply` is the score of the position after it."""
    after, after_proven = reply.before(), reply_proven
    found = engine.search(position, limit)
    assert found.move is not None  # the game was not over: a move was played
    best, before, before_proven = found.move, found.score, found.proven
    scale = position.evaluation_scale
    lost = winning_chance(before, before_proven, scale) - winning_chance(after, after_proven, scale)
    if best == move or lost < 0 or (lost == 0 and after >= before):
        # No better move was found: both scores are that of the search that saw more.
        best, lost = move, 0.0
        if before_proven and not after_proven:
            after, after_proven = before, True
        else:
            before, before_proven = after, after_proven
    only = len(position.legal_moves) == 1
    label = "only" if only else "best" if best == move else _label(lost)
    return ReviewedMove(
        ply, position.turn, move, before, before_proven, after, after_proven, best, lost, label
    )


def _label(loss: float) -> str:
    return next((label for least, label in LABELS if loss >= least), "good")


def turning_point(moves: Sequence[ReviewedMove]) -> ReviewedMove | None:
    """The move that decided the game: after it, its side is proven to lose, and was not before. In
    a game that ends without a proven loss, the last move that gave away a proven win. None if no
    such move was found."""
    if not moves:
        return None
    last = moves[-1]
    loser = None
    if last.after.value is not None:
        loser = last.side if last.after.value == "loss" else "o" if last.side == "x" else "x"
    for entry in reversed(moves):
        if entry.side == loser and entry.before.value != "loss":
            return entry
        if loser is None and entry.before.value == "win" != entry.after.value:
            return entry
    return None
