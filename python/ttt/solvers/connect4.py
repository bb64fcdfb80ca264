"""Connect Four, four in a row, on every board that fits into 64 bits: exact scores, no book.

The score is for the side to move: 1 is a win with its very last disc, one more for each disc it
still has left then; a loss counts the same for the opponent, negative; 0 is a draw. On 7x6: 22 less
the number of discs the winner will have played.
"""

from array import array
from collections.abc import Callable, Iterable
from math import exp
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ttt.board import Board
from ttt.boards.connect4 import Connect4Board
from ttt.limits import UNLIMITED, check_limits, check_threads
from ttt.solvers.base import Solution, Solver
from ttt_core.errors import BadNotation, shorten
from ttt_core.move import Move

if TYPE_CHECKING:
    from ttt_core.solvers.connect4.solver import Solver as Core

RATE = 5_000_000
"""Nodes a second, roughly."""
FEW = 1_000
"""Nodes that show what the tables know of a move."""


def core_type(columns: int, rows: int) -> "type[Core]":
    """The compiled solver of a board size."""
    from ttt_core.solvers.connect4 import solver as connect4

    if columns <= connect4.Solver.widest and rows <= connect4.Solver.tallest:
        return connect4.Solver
    from ttt_core.solvers.connect4 import wide as connect4wide

    return connect4wide.Solver


class Connect4Solver(Solver):
    exact_plies = True
    flags = {  # noqa: RUF012
        "all-moves": "the score of every column",
        "weak": "win, draw or loss only, which is quicker",
    }

    def __init__(self, hash: int = 32, threads: int = 1, **options: Any) -> None:
        check_threads(threads)
        self.start = Connect4Board(**options)
        self.columns, self.rows, connect = self.start.ruleset.options
        if connect != 4:
            raise ValueError(f"connect={connect}: this solver knows four in a row")
        self.threads = threads
        self.core = core_type(self.columns, self.rows)(self.columns, self.rows, hash)

    @classmethod
    def covers(cls, options: dict[str, Any]) -> bool:
        return bool(options["connect"] == 4)

    def solve(
        self,
        board: Board,
        nodes: int | None = None,
        time: float | None = None,
        on_info: Callable[[Solution], None] | None = None,
        weak: bool = False,
        all_moves: bool = False,
        **settings: bool,
    ) -> Solution:
        """The score of a position, with `weak` only its sign, and the best moves; `all_moves` puts
        the score of every move into `details["moves"]`."""
        if settings:
            raise TypeError(f"connect4 has no setting {next(iter(settings))!r}: weak, all_moves")
        return Question(self, board, nodes, time, weak, on_info).solve(all_moves)

    @classmethod
    def worth_asking(cls, board: Board, nodes: int | None, time: float | None) -> bool:
        """If they may suffice for the sign of the score, by a rough rule of the empty cells."""
        need = exp(0.43 * (len(board.marks) - board.ply) - 1) / 16
        return (nodes is None or nodes >= need) and (time is None or time * RATE >= need)

    def try_within(self, board: Board, nodes: int | None, time: float | None) -> Solution:
        """The sign of the score, of a draw every move that keeps it; then the score."""
        if nodes is None and time is None:
            return Question(self, board, None, None, False, None).solve(False, only_one=True)
        return Question(self, board, nodes, time, True, None).answer()

    def solve_many(
        self,
        positions: Iterable[Board | str],
        nodes: int | None = None,
        time: float | None = None,
        weak: bool = False,
        threads: int | None = None,
        arrays: bool = False,
    ) -> Any:
        """The scores of many positions, given as boards or as moves; with `weak` 1, 0 or -1. One
        call of compiled code for all. Limits are for each position; None where one came first.
        `arrays` asks for numpy arrays (scores, low, high, nodes) instead of a list."""
        check_limits(None, nodes, time)
        threads = self.threads if threads is None else threads
        check_threads(threads)
        mine, theirs = array("Q"), array("Q")
        for position in positions:
            words = self.pack(position)
            mine.append(words[0])
            theirs.append(words[1])
        low, high, spent, raised = self.core.solve_many(
            mine, theirs, weak, nodes or UNLIMITED, time or 0.0, threads
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
        """The words of a position for the core."""
        if isinstance(position, str):
            words = self.core.pack_moves(position) if self.columns <= 9 else None
            if words is not None:
                return words
            board = self.start.copy()
            board.push_moves(position)
            position = board
        if not isinstance(position, Connect4Board):
            raise BadNotation(f"{shorten(position)} is no board of connect4, nor its moves")
        if position.ruleset.options != self.start.ruleset.options:
            raise ValueError("the board has other options than the solver")
        return self.core.pack(position.marks, position.turn)

    def plies(self, ply: int, score: int) -> int | None:
        """From a position of so many discs to the end that its score tells; None: a draw."""
        if not score:
            return None
        cells = self.columns * self.rows
        last = cells - 2 * abs(score)  # or one more, as the winner's turn is
        last += (last - ply - (score < 0)) % 2
        return last - ply + 1

    def stop(self) -> None:
        self.core.stop()

    def clear(self) -> None:
        self.core.clear()


class Question:
    """One call of `solve`: a position, its limits, and what they have been spent on."""

    def __init__(
        self,
        solver: Connect4Solver,
        board: Board,
        nodes: int | None,
        time: float | None,
        weak: bool,
        on_info: Callable[[Solution], None] | None,
    ) -> None:
        check_limits(None, nodes, time)
        self.solver = solver
        self.board = board = board.copy()  # it may move while it is searched
        self.words = solver.pack(board)
        self.limit = nodes or UNLIMITED
        self.time = time
        self.weak = weak
        self.on_info = on_info
        self.nodes = 0
        self.began = perf_counter()

    def ask(
        self, words: tuple[int, int], low: int = -64, high: int = 64, nodes: int = UNLIMITED
    ) -> tuple[int, int]:
        """Bounds of a score, between `low` and `high`, as far as so many nodes go."""
        left = 0.0 if self.time is None else self.time - (perf_counter() - self.began)
        if self.limit <= self.nodes or (self.time is not None and left <= 0):
            return low, high

        def inform(low: int, high: int, nodes: int, seconds: float) -> None:
            assert self.on_info is not None
            self.on_info(self.solution(low, high, [])._replace(nodes=self.nodes + nodes))

        found = self.solver.core.solve(
            *words,
            self.weak,
            min(nodes, self.limit - self.nodes),
            left,
            self.solver.threads,
            inform if self.on_info is not None and words == self.words else None,
            low,
            high,
        )
        self.nodes += found["nodes"]
        if found["raised"] is not None:
            raise found["raised"]
        return found["low"], found["high"]

    def solve(self, all_moves: bool, only_one: bool = False) -> Solution:
        low, high = self.ask(self.words)
        best: list[Move] = []
        moves: dict[str, int | None] = {}
        if self.known(low, high):
            for move in self.centred():
                if all_moves:
                    a, b = self.ask(self.solver.pack(self.after(move)))
                    moves[move] = -sign(a) if self.weak else -a
                    if not self.known(a, b):
                        moves[move] = None
                    elif sign(a) == -sign(low) if self.weak else a == -low:
                        best.append(move)
                elif self.keeps(move, low):
                    best.append(move)
                    if only_one:
                        break
        details = {"moves": {move: moves[move] for move in sorted(moves)}} if all_moves else {}
        return self.solution(low, high, sorted(best, key=lambda move: move.number), details)

    def answer(self) -> Solution:
        """The sign of the score with a move that keeps it, or all of them if it is 0; then, while
        the limits last, the score. Begins in weak mode."""
        low, high = self.ask(self.words)
        if not self.known(low, high):
            return self.solution(low, high, [])
        found = self.solution(low, high, self.keepers(low, every=low == 0))
        if low:
            self.weak = False
            low, high = self.ask(self.words, low, high)
            best = self.keepers(low, every=False) if low == high else []
            if best:
                return self.solution(low, high, best)
        return found._replace(nodes=self.nodes, seconds=perf_counter() - self.began)

    def keepers(self, score: int, every: bool) -> list[Move]:
        """The moves that keep the best score, as far as the limits go; one if not `every`. What the
        tables know comes first: it may spare the rest."""
        best: list[Move] = []
        left = self.centred()
        for nodes in (FEW, UNLIMITED):
            asked, left = left, []
            for move in asked:
                keeps = self.keeps(move, score, nodes)
                if keeps is None:
                    left.append(move)
                elif keeps:
                    best.append(move)
                    if not every:
                        return best
        return sorted(best, key=lambda move: move.number)

    def keeps(self, move: Move, score: int, nodes: int = UNLIMITED) -> bool | None:
        """Whether a move keeps the best score, or in weak mode its sign; None: not known."""
        most = -sign(score) if self.weak else -score
        if self.weak and most == 1:
            return True
        low, high = self.ask(self.solver.pack(self.after(move)), most, most + 1, nodes)
        return None if low < high else high == most

    def after(self, move: Move) -> Board:
        after = self.board.copy()
        after.push(move)
        return after

    def centred(self) -> list[Move]:
        """The moves, the middle columns first."""
        middle = (self.solver.columns - 1) / 2
        return sorted(self.board.legal_moves, key=lambda move: abs(move.number - middle))

    def known(self, low: int, high: int) -> bool:
        return low == high or (self.weak and (low > 0 or high < 0))

    def solution(
        self, low: int, high: int, best: list[Move], details: dict[str, Any] | None = None
    ) -> Solution:
        known = self.known(low, high)
        score = low if low == high and not self.weak else None
        return Solution(
            value={1: "win", 0: "draw", -1: "loss"}[sign(low)] if known else "unknown",
            score=score,
            plies=None if score is None else self.solver.plies(self.board.ply, score),
            move=min(best, key=lambda move: abs(2 * move.number + 1 - self.solver.columns))
            if best
            else None,
            best=best,
            low=low,
            high=high,
            nodes=self.nodes,
            seconds=perf_counter() - self.began,
            details=details or {},
        )


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


SOLVER = Connect4Solver
