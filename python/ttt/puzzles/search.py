"""Finds puzzles: proves that exactly one move of a position wins, and how.

All searches have node limits and start with empty tables, so that the same position always gives
the same puzzle.
"""

from ttt.board import Board
from ttt.engine import Engine
from ttt.puzzles.collection import Puzzle, grade_of
from ttt.search.result import MoveAnalysis, MoveScore
from ttt_core.move import Move

NODES = 1_000_000
"""Nodes of the proof of one position."""
PROBE_NODES = 50_000
"""Nodes of the search that decides whether a proof is worth its while."""
LEAST_MOVES = 3
"""Legal moves of a puzzle: with fewer there is nothing to find."""
LONGEST_LINE = 15
"""Plies of a solution; a longer win is left to the reader."""
DEFENCES = 4
"""Equally long defences that are tried for one that keeps the win unique."""


class PuzzleFinder:
    """Looks for puzzles in positions of one game under some options."""

    def __init__(self, start: Board, nodes: int = NODES) -> None:
        self.nodes = nodes
        self.engine = Engine(start.game, **start.options)
        self.plain = Engine(start.game, selective=False, solver=False, **start.options)
        """Finds the shortest win, without pruning that might miss it."""

    def find(self, board: Board) -> Puzzle | None:
        """The puzzle in a position; None if it is none, or if that is not proven."""
        if len(board.legal_moves) < LEAST_MOVES or not self.looks_won(board):
            return None
        best = only_win(self.analyse(board))
        if best is None or best.plies is None:
            return None
        plies = self.shortest(board, best.move, best.plies)
        if plies > 1 and has_one_safe_move(board):
            return None
        line = self.solution(board, best.move)
        if len(line) > plies:
            return None
        return Puzzle(grade_of(plies), plies, tuple(map(str, line)), board.text())

    def looks_won(self, board: Board) -> bool:
        self.engine.clear()
        return self.engine.search(board, nodes=PROBE_NODES).score.value == "win"

    def analyse(self, board: Board) -> MoveAnalysis:
        self.engine.clear()
        return self.engine.analyse_moves(board, nodes=self.nodes)

    def shortest(self, board: Board, move: Move, plies: int) -> int:
        """The plies of the shortest win by a move that wins in `plies`, if the nodes suffice;
        otherwise `plies`."""
        self.plain.clear()
        found = self.plain.search(board, depth=plies, nodes=self.nodes, moves=[move])
        return plies if found.score.win_in is None else found.score.win_in

    def solution(self, board: Board, move: Move) -> list[Move]:
        """The line of a puzzle from its winning move on."""
        board = board.copy()
        board.push(move)
        line = [move]
        while len(line) + 2 <= LONGEST_LINE and not board.is_game_over():
            pair = self.defence_and_win(board)
            if pair is None:
                break
            board.push_moves(pair)
            line += pair
        return line

    def defence_and_win(self, board: Board) -> list[Move] | None:
        """One of the longest defences and the only move that wins against it; if several moves win
        at once, one of them. None if no longest defence leaves only one winning move."""
        replies = self.analyse(board)
        if not replies.proven or any(entry.plies is None for entry in replies):
            return None
        longest = replies.moves[0].plies
        best = [entry.move for entry in replies if entry.plies == longest]
        threatened = board.wins("o" if board.turn == "x" else "x")
        best.sort(key=lambda move: move not in threatened)  # a block is the natural defence
        for reply in best[:DEFENCES]:
            after = board.copy()
            after.push(reply)
            immediate = immediate_wins(after)
            if immediate:
                return [reply, immediate[0]]
            win = only_win(self.analyse(after))
            if win is not None:
                return [reply, win.move]
        return None


def only_win(analysis: MoveAnalysis) -> MoveScore | None:
    """The winning move, if all values are proven and it is the only one."""
    wins = [entry for entry in analysis if entry.score.value == "win"]
    return wins[0] if analysis.proven and len(wins) == 1 else None


def immediate_wins(board: Board) -> list[Move]:
    """The moves that win at once."""
    wins = board.wins(board.turn)
    return [move for move in board.legal_moves if move in wins]


def has_one_safe_move(board: Board) -> bool:
    """Whether at most one move does not let the opponent win at once: then there is no choice."""
    safe = 0
    for move in board.legal_moves:
        after = board.copy()
        after.push(move)
        safe += not immediate_wins(after)
    return safe < 2
