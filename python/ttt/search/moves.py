"""MoveTable: what is known of every legal move of a position while it is analysed."""

from collections.abc import Callable, Iterable

from ttt.board import Board
from ttt.limits import Budget
from ttt.score import Score
from ttt.search.result import Line, MoveAnalysis, MoveScore
from ttt_core.move import Move


class MoveTable:
    """The best knowledge so far. An estimate never replaces a proven score."""

    def __init__(self, board: Board, evaluate: Callable[[Board], int]) -> None:
        """Starts with the evaluation after each move, exact where the move ends the game."""
        self.board = board
        self.depth = 0
        self.after: dict[Move, Board] = {}
        self.entries: dict[Move, MoveScore] = {}
        for move in board.legal_moves:
            after = self.after[move] = board.copy()
            after.push(move)
            value = after.outcome_value()
            score = Score(-evaluate(after)) if value is None else Score.of_outcome(value).before()
            self.entries[move] = MoveScore(move, score, value is not None, [move])

    def unproven(self) -> list[Move]:
        """The moves whose true result is not known, in the order of the board."""
        return [move for move, entry in self.entries.items() if not entry.proven]

    def take_lines(self, lines: Iterable[Line], depth: int, complete: bool) -> None:
        """Notes what a finished iteration found; `complete`: it reached the end of the game."""
        if depth < self.depth:  # a search that begins anew
            return
        self.depth = depth
        for score, moves in lines:
            proven = complete or score.value is not None
            if proven or not self.entries[moves[0]].proven:
                entry = self.entries[moves[0]]
                self.entries[moves[0]] = MoveScore(moves[0], score, proven, moves, entry.game_score)

    def prove(self, move: Move, score: Score, line: list[Move], game_score: int | None) -> None:
        """Notes a proven score. One that tells the plies or the game's own score is kept."""
        entry = self.entries[move]
        if not entry.proven or game_score is not None or entry.plies is None:
            self.entries[move] = MoveScore(move, score, True, line, game_score)

    def analysis(self, budget: Budget) -> MoveAnalysis:
        """What is known now."""
        moves = sorted(self.entries.values(), key=lambda entry: entry.score, reverse=True)
        return MoveAnalysis(self.board, moves, self.depth, budget.nodes, budget.seconds)
