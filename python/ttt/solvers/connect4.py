"""Exact scores of Connect Four on every board of up to 64 bits; an opening book is optional.

The score is for the side to move. A win scores 1 if it takes the winner's last disc, and one more
for each disc left over; a loss is the negative of the opponent's score; a draw is 0. On 7x6, a win
scores 22 minus the number of discs that the winner has played.
"""

from array import array
from collections.abc import Iterable
from math import exp
from typing import TYPE_CHECKING, Any, ClassVar

from ttt.board import Board
from ttt.boards.connect4 import Connect4Board
from ttt.limits import UNLIMITED, Budget, Limit, as_limit, check_threads, reject_unknown
from ttt.solvers.base import VALUES, Inform, Solution, Solver
from ttt.solvers.book import Book
from ttt_core.errors import BadNotation, shorten
from ttt_core.move import Move

if TYPE_CHECKING:
    from ttt_core.solvers.connect4.solver import Solver as Core

NODES_PER_SECOND = 5_000_000
"""A rough estimate."""
TABLE_NODES = 1_000
"""Nodes that suffice for a move whose result is already in the table."""


def core_type(columns: int, rows: int) -> "type[Core]":
    """The compiled solver of a board size."""
    from ttt_core.solvers.connect4 import solver as connect4

    if columns <= connect4.Solver.widest and rows <= connect4.Solver.tallest:
        return connect4.Solver
    from ttt_core.solvers.connect4 import wide as connect4wide

    return connect4wide.Solver


class Connect4Solver(Solver):
    """`Connect4Solver(columns=8, rows=7)`; details in the module's docstring."""

    exact_plies = True
    flags: ClassVar = {"weak": "win, draw or loss only, which is faster"}
    values: ClassVar = {"book": ("FILE", "use this opening book, made by `ttt book`")}

    def __init__(self, hash: int = 32, threads: int = 1, **options: Any) -> None:
        check_threads(threads)
        self.start: Board = Connect4Board(**options)
        self.columns, self.rows, connect = self.start.ruleset.options
        if connect != 4:
            raise ValueError(
                f"connect={connect}: expected 4, the only one that this solver supports"
            )
        self.threads = threads
        self.core = core_type(self.columns, self.rows)(self.columns, self.rows, hash)
        self.book: Book | None = None
        self.centred = [abs(2 * column + 1 - self.columns) for column in range(self.columns)]
        """The distance of each column from the middle, for the order of moves."""

    def use_book(self, path: str) -> None:
        """Reads an opening book; `solve` answers its positions from it."""
        book = Book.load(path)
        if (book.columns, book.rows) != (self.columns, self.rows):
            raise ValueError(
                f"{path}: book for {book.columns}x{book.rows}, not for {self.columns}x{self.rows}"
            )
        self.book = book

    def in_book(self, board: Board) -> bool:
        return self.book is not None and self.book.find(board) is not None

    @classmethod
    def covers(cls, options: dict[str, Any]) -> bool:
        return bool(options["connect"] == 4)

    def solve_within(
        self,
        board: Board,
        budget: Budget,
        on_info: Inform = None,
        weak: bool = False,
        book: str | None = None,
        **settings: Any,
    ) -> Solution:
        """The score of a position, with `weak` only its sign, and the best moves. `book` is the
        file of an opening book, which is kept for later calls."""
        if book is not None:
            self.use_book(book)
        return Query(self, board, budget, weak, on_info).solve()

    @classmethod
    def worth_asking(cls, board: Board, limit: Limit) -> bool:
        """Whether the limit is likely to suffice for the sign of the score, estimated from the
        number of empty cells."""
        need = exp(0.43 * (len(board.marks) - board.ply) - 1) / 16
        return (limit.nodes is None or limit.nodes >= need) and (
            limit.time is None or limit.time * NODES_PER_SECOND >= need
        )

    def try_within(self, board: Board, limit: Limit) -> Solution:
        """The sign of the score, with all drawing moves of a draw; then the score itself."""
        self.check(board)
        if not limit:
            return Query(self, board, Budget(limit), False).solve(only_one=True)
        return Query(self, board, Budget(limit), True).value_then_score()

    def solve_many(
        self,
        positions: Iterable[Board | str],
        limit: Limit | None = None,
        *,
        nodes: int | None = None,
        time: float | None = None,
        weak: bool = False,
        threads: int | None = None,
        arrays: bool = False,
        **settings: Any,
    ) -> Any:
        """The scores of many positions, given as boards or as moves; 1, 0 or -1 with `weak`. Limits
        apply to each position; the score is None if one was reached first. `arrays` returns numpy
        arrays (scores, low, high, nodes) instead of a list."""
        valid = ("nodes", "time", "weak", "threads", "arrays")
        reject_unknown("solve_many of connect4", settings, valid)
        if isinstance(positions, str | Board):
            raise TypeError(f"positions={positions!r}: expected a list of boards or texts of moves")
        limit = as_limit(limit, nodes=nodes, time=time)
        threads = self.threads if threads is None else threads
        check_threads(threads)
        mine, theirs = array("Q"), array("Q")
        for position in positions:
            words = self.pack(position)
            mine.append(words[0])
            theirs.append(words[1])
        low, high, spent, raised = self.core.solve_many(
            mine, theirs, weak, limit.nodes or UNLIMITED, limit.time or 0.0, threads
        )
        if raised is not None:
            raise raised
        if arrays:
            import numpy as np

            lows, highs = np.asarray(low), np.asarray(high)
            scores = np.sign(lows) if weak else lows
            return scores, lows, highs, np.asarray(spent)
        if weak:
            return [
                sign(a) if a == b or a > 0 or b < 0 else None
                for a, b in zip(low, high, strict=True)
            ]
        return [a if a == b else None for a, b in zip(low, high, strict=True)]

    def pack(self, position: Board | str) -> tuple[int, int]:
        """The two bitboards that the core takes: the discs of the side to move, and the other's."""
        if isinstance(position, str):
            words = self.core.pack_moves(position) if self.columns <= 9 else None
            if words is not None:
                return words
            board = self.start.copy()
            board.push_moves(position)
            position = board
        if not isinstance(position, Connect4Board):
            raise BadNotation(f"{shorten(position)}: expected a board of connect4 or its moves")
        if position.ruleset.options != self.start.ruleset.options:
            raise ValueError("the board has other options than the solver")
        return self.core.pack(position.marks, position.turn)

    def plies(self, ply: int, score: int) -> int | None:
        """Plies to the end of the game, for a position with `ply` discs and this score; None for a
        draw."""
        if not score:
            return None
        cells = self.columns * self.rows
        last = cells - 2 * abs(score)  # or one more, by the parity of the winner
        last += (last - ply - (score < 0)) % 2
        return last - ply + 1

    def stop(self) -> None:
        self.core.stop()

    def clear(self) -> None:
        self.core.clear()


class Query:
    """One call of `solve`: a position, its budget, and what has been found."""

    def __init__(
        self,
        solver: Connect4Solver,
        board: Board,
        budget: Budget,
        weak: bool,
        on_info: Inform = None,
    ) -> None:
        self.solver = solver
        self.board = board
        self.words = solver.pack(board)
        self.budget = budget
        self.weak = weak
        self.on_info = on_info

    def bounds(
        self, words: tuple[int, int], low: int = -64, high: int = 64, nodes: int = UNLIMITED
    ) -> tuple[int, int]:
        """Bounds of a score between `low` and `high`; equal unless a limit was reached."""
        if self.budget.exhausted:
            return low, high

        def inform(low: int, high: int, nodes: int, seconds: float) -> None:
            assert self.on_info is not None
            self.on_info(self.solution(low, high, [])._replace(nodes=self.budget.nodes + nodes))

        found = self.solver.core.solve(
            *words,
            self.weak,
            min(nodes, self.budget.nodes_left),
            self.budget.seconds_left,
            self.solver.threads,
            inform if self.on_info is not None and words == self.words else None,
            low,
            high,
        )
        self.budget.spend(found["nodes"])
        if found["raised"] is not None:
            raise found["raised"]
        return found["low"], found["high"]

    def first_bounds(self) -> tuple[int, int]:
        """Bounds of the position's score, from the book if it has the position."""
        score = None if self.solver.book is None else self.solver.book.find(self.board)
        if score is None:
            return self.bounds(self.words)
        return (sign(score), sign(score)) if self.weak else (score, score)

    def solve(self, only_one: bool = False) -> Solution:
        """The score with every best move, or with only one of them."""
        low, high = self.first_bounds()
        best: list[Move] = []
        if self.known(low, high):
            best, _ = self.best_moves(self.centred(), low, not only_one)
        return self.solution(low, high, sorted(best, key=column))

    def value_then_score(self) -> Solution:
        """The sign of the score with a best move, or with all of them for a draw; then, if the
        budget allows, the score. Starts in weak mode."""
        low, high = self.first_bounds()
        if not self.known(low, high):
            return self.solution(low, high, [])
        found = self.solution(low, high, self.best_in_table_first(low, every=low == 0))
        if low:
            self.weak = False
            if self.solver.book is not None and self.board.ply <= self.solver.book.plies:
                low, high = self.first_bounds()
            else:
                low, high = self.bounds(self.words, low, high)
            best = self.best_in_table_first(low, every=False) if low == high else []
            if best:
                return self.solution(low, high, best)
        return found._replace(nodes=self.budget.nodes, seconds=self.budget.seconds)

    def best_in_table_first(self, score: int, every: bool) -> list[Move]:
        """The moves that keep the best score, found within the budget; one if not `every`. Moves
        that are in the table are tried first: one of them may be enough."""
        best, left = self.best_moves(self.centred(), score, every, TABLE_NODES)
        if left and (every or not best):
            best += self.best_moves(left, score, every)[0]
        return sorted(best, key=column)

    def best_moves(
        self, moves: list[Move], score: int, every: bool, nodes: int = UNLIMITED
    ) -> tuple[list[Move], list[Move]]:
        """The moves that keep the best score, or in weak mode its sign, and those of which that is
        not known after `nodes` nodes each; if not `every`, the first that keeps it ends the call.
        """
        most = -sign(score) if self.weak else -score
        if self.weak and most == 1:
            return moves if every else moves[:1], []
        solver = self.solver
        if solver.book is not None or solver.threads > 1:
            return self.best_one_by_one(moves, most, every, nodes)
        if self.budget.exhausted:
            return [], moves
        numbers = [move.number for move in moves]
        total, seconds = self.budget.nodes_left, self.budget.seconds_left
        best, left, spent, raised = solver.core.moves_within(
            *self.words, numbers, self.weak, most, every, nodes, total, seconds
        )
        self.budget.spend(spent)
        if raised is not None:
            raise raised
        names = self.board.ruleset.moves
        return [names[number] for number in best], [names[number] for number in left]

    def best_one_by_one(
        self, moves: list[Move], most: int, every: bool, nodes: int
    ) -> tuple[list[Move], list[Move]]:
        """`best_moves` with the book, and with all threads for one move at a time."""
        best: list[Move] = []
        left: list[Move] = []
        for move in moves:
            kept = self.leaves_at_most(move, most, nodes)
            if kept is None:
                left.append(move)
            elif kept:
                best.append(move)
                if not every:
                    break
        return best, left

    def leaves_at_most(self, move: Move, most: int, nodes: int) -> bool | None:
        """Whether a move leaves the opponent a score of at most `most`; None: not known."""
        after = self.after(move)
        known = None if self.solver.book is None else self.solver.book.find(after)
        if known is not None:
            return (sign(known) if self.weak else known) <= most
        low, high = self.bounds(self.solver.pack(after), most, most + 1, nodes)
        return None if low < high else high == most

    def after(self, move: Move) -> Board:
        after = self.board.copy()
        after.push(move)
        return after

    def centred(self) -> list[Move]:
        """The moves, the middle columns first."""
        order = self.solver.centred
        return sorted(self.board.legal_moves, key=lambda move: order[move.number])

    def known(self, low: int, high: int) -> bool:
        return low == high or (self.weak and (low > 0 or high < 0))

    def solution(self, low: int, high: int, best: list[Move]) -> Solution:
        known = self.known(low, high)
        score = low if low == high and not self.weak else None
        return Solution(
            value=VALUES[sign(low)] if known else "unknown",
            game_score=score,
            plies=None if score is None else self.solver.plies(self.board.ply, score),
            move=min(best, key=lambda move: self.solver.centred[move.number], default=None),
            best=best,
            low=low,
            high=high,
            nodes=self.budget.nodes,
            seconds=self.budget.seconds,
            details={},
        )


def column(move: Move) -> int:
    return move.number


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


SOLVER = Connect4Solver
