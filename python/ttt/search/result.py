"""Results of searches: the best move or every move, with scores, lines and counters."""

from collections.abc import Iterator
from typing import NamedTuple

from ttt.board import Board
from ttt.score import Score
from ttt_core.move import Move


class Line(NamedTuple):
    """A score and the moves that lead to it with best play."""

    score: Score
    """Its score, for the side to move."""
    moves: list[Move]
    """The moves, from the position that was searched."""


class Result(NamedTuple):
    """The best move of a position and how it was found, for the side to move."""

    move: Move | None
    """The best move; None when the game is over."""
    score: Score
    """If a limit stops the search first, the plies of a win or loss are an upper bound, and
    `score.exact` is False. The same holds for Qubic's threat wins."""
    proven: bool
    """Whether the score is the true result: a win, a loss, or a draw searched to the end."""
    depth: int
    """The plies to which the search has looked ahead everywhere."""
    selective_depth: int
    """The plies of the longest variation searched."""
    line: list[Move]
    """The moves expected with best play, `move` first."""
    lines: list[Line]
    """The best lines: `multipv` of them."""
    nodes: int
    """Of the search, or of the solver if that has found the result. A node limit covers both."""
    terminal: int
    """Nodes in which the game is over."""
    horizon: int
    """Nodes that were evaluated."""
    table_hits: int
    """Lookups that found their position in the transposition table."""
    table_fill: float
    """The share of the table that is in use, 0 to 1."""
    seconds: float
    """The time that it took."""

    @property
    def plies(self) -> int | None:
        """Plies to the end of a won or lost game; None if not, or not known."""
        return self.score.plies

    @property
    def nodes_per_second(self) -> float:
        return self.nodes / self.seconds if self.seconds else 0.0

    def verdict(self) -> str:
        """The score in words: "+12", "win in 5", "loss in 8", "draw"."""
        return verdict_of(self.score, self.proven)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during the search of a player; `move` is the best move so far, if there is one."""

    def __init__(self, move: Move | None) -> None:
        super().__init__()
        self.move = move


class MoveScore(NamedTuple):
    """The score of a move, for the side that makes it."""

    move: Move
    """The move that is scored."""
    score: Score
    """Its score: a good move has a high one."""
    proven: bool
    """Whether the score is the true result: a win, a loss or, if the evaluation is 0, a draw."""
    line: list[Move]
    """The moves expected with best play, `move` first."""
    game_score: int | None = None
    """The exact score in the game's own units (connect4 only)."""

    @property
    def plies(self) -> int | None:
        """Plies to the end of a won or lost game; None if drawn or not known. It may be an
        upper bound, as in `Result`."""
        return self.score.plies

    def verdict(self) -> str:
        """The score in words: "+12", "win in 5", "loss in 8", "draw"."""
        return verdict_of(self.score, self.proven)


class MoveAnalysis:
    """The score of every legal move of a position, best first.

    >>> from ttt import Board, Engine
    >>> analysis = Engine("tictactoe").analyse_moves(Board("tictactoe"))
    >>> analysis["5"].verdict(), analysis.proven
    ('draw', True)
    """

    __slots__ = ("board", "depth", "moves", "nodes", "seconds")

    def __init__(
        self, board: Board, moves: list[MoveScore], depth: int, nodes: int, seconds: float
    ) -> None:
        self.board = board
        """The position."""
        self.moves = moves
        """Best first; equal ones in the order of `board.legal_moves`."""
        self.depth = depth
        """Plies to which every unproven move has been searched."""
        self.nodes = nodes
        self.seconds = seconds

    @property
    def proven(self) -> bool:
        """Whether every score is the true result."""
        return all(move.proven for move in self.moves)

    def __getitem__(self, move: str) -> MoveScore:
        """The entry of a move, given as a Move or as text."""
        wanted = self.board.parse_move(move)
        for entry in self.moves:
            if entry.move == wanted:
                return entry
        raise KeyError(f"{wanted} is not a legal move here")

    def __iter__(self) -> Iterator[MoveScore]:
        return iter(self.moves)

    def __len__(self) -> int:
        return len(self.moves)

    def __str__(self) -> str:
        return ", ".join(f"{entry.move}: {entry.verdict()}" for entry in self.moves)

    def __repr__(self) -> str:
        return f"<MoveAnalysis of {self.board.text()!r}: {self}>"


def verdict_of(score: Score, proven: bool) -> str:
    """A score in words; a proven evaluation of 0 is a draw."""
    return "draw" if proven and score.evaluation == 0 else str(score)
