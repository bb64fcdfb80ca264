"""The solver of nine-board: win, draw or loss by proof search.

The first search asks whether the side to move wins. If it does not, and no draw occurred in the
proof, it loses; otherwise a second search asks whether the other side wins. The length of a win is
known only up to two plies. A long search can be saved to a file: see `ttt.solvers.checkpoint`.

The shipped certificate, a proof that x wins, is the solver's book. It answers at once in every
position that it contains; one move later the position is known to be won, and `try_within` spends
its whole limit on finding the way.
"""

from collections.abc import Mapping
from math import inf
from typing import Any, ClassVar

from ttt.board import Board
from ttt.boards.nineboard import NineboardBoard
from ttt.limits import Budget, Limit, check_threads
from ttt.solvers.base import VALUES, Inform, Solution, Solver
from ttt.solvers.certificate import Certificate, Conditions, shipped
from ttt.solvers.checkpoint import Checkpoint
from ttt.storage.weights import load_shipped, read_weights, shipped_path
from ttt_core.move import Move
from ttt_core.solvers.nineboard import solver as nineboard

DEFAULT_HASH = 64
VERSION = 1
"""Of the search: a change of its node counts needs a new version."""
WEIGHTS = "nineboard-solver"
EXPECTED_NODES = 100_000_000
"""The default limit of the engine's call where a win is known to exist."""
SLICE = 1.0
"""Seconds between two reports of a search."""
MOVE, PROOF, DISPROOF, EFFORT = range(4)
"""The fields of a move in the core's record."""


class NineboardSolver(Solver):
    """With several threads the search differs from run to run, and so may the best move."""

    flags: ClassVar = {"no-book": "do not use the shipped proof"}
    values: ClassVar = {
        "checkpoint": ("FILE", "save the search to this file; resume it if the file exists")
    }

    def __init__(self, hash: int | None = None, threads: int = 1, **options: Any) -> None:
        """A `hash` of None is 64, or more if a checkpoint needs it."""
        check_threads(threads)
        self.start: Board = NineboardBoard(**options)
        self.threads = threads
        self.may_grow = hash is None
        self.core = self.make_core(DEFAULT_HASH if hash is None else hash)
        self.stopping = False
        self.lost: Board | None = None
        """The position after the winning move of the latest proven win."""

    def make_core(self, hash: int) -> nineboard.Solver:
        weights = load_shipped(WEIGHTS)
        full_draws = bool(self.start.ruleset.options[0])
        return nineboard.Solver(full_draws, hash, self.threads, weights)

    def solve_within(
        self,
        board: Board,
        budget: Budget,
        on_info: Inform = None,
        checkpoint: str | None = None,
        no_book: bool = False,
        **settings: Any,
    ) -> Solution:
        """The value of a position and a best move. `details` has the share of the table in use and,
        if the search is not finished, its proof and disproof numbers. `checkpoint` is a file for
        the search: it is read first if it exists, and written every minute and at the end.
        `no_book` ignores the shipped certificate."""
        self.stopping = self.saved = False
        if checkpoint is None:
            search = ProofSearch(self, board, budget, on_info)
            found = (None if no_book else search.from_book()) or search.solve()
        else:
            found = self.resume(board, budget, on_info, checkpoint)
        if found.value == "win" and found.move is not None:
            self.lost = board.copy()
            self.lost.push(found.move)
        return found

    def resume(self, board: Board, budget: Budget, on_info: Inform, checkpoint: str) -> Solution:
        """Continues the search of a file, or begins it; saves it however it ends."""
        file = Checkpoint(checkpoint, board.text())
        try:
            if self.may_grow and file.hash > self.core.hash:
                self.core = self.make_core(file.hash)
            file.load(self.core)
            search = ProofSearch(self, board, budget, on_info, file)
            try:
                return search.solve()
            except KeyboardInterrupt:
                search.save(True)
                raise
        finally:
            file.close()

    @classmethod
    def worth_asking(cls, board: Board, limit: Limit) -> bool:
        return board.ply >= 16 or in_book(board) or after_book(board)

    def expects_win(self, board: Board) -> bool:
        """Whether the opponent has just replied to a move that is proven to win."""
        if self.lost is not None and board.moves:
            before = board.copy()
            before.pop()
            if before == self.lost:
                return True
        return after_book(board)

    def try_within(self, board: Board, limit: Limit) -> Solution:
        """Spends a share of the limit that grows with the plies played, all of it if a win is
        expected; without a limit, a million nodes."""
        expected = self.expects_win(board)
        limit = limit or Limit(nodes=1_000_000 if not expected else EXPECTED_NODES)
        share = 1.0 if expected else min(1.0, max(1, board.ply - 14) / 20)
        return self.solve(
            board,
            nodes=None if limit.nodes is None else max(1, int(share * limit.nodes)),
            time=None if limit.time is None else share * limit.time,
        )

    def stop(self) -> None:
        self.stopping = True
        self.core.stop()

    def clear(self) -> None:
        self.core.clear()


def conditions(hash: int) -> Conditions:
    """What the number of nodes of a solution depends on, with an empty table of `hash` MiB."""
    weights = read_weights(shipped_path(WEIGHTS), WEIGHTS)
    return Conditions(VERSION, weights.version, weights.checksum, hash)


def in_book(board: Board) -> bool:
    """Whether x is to move in a position of the shipped certificate."""
    book = shipped()
    return book is not None and book.find(board) is not None


def after_book(board: Board) -> bool:
    """Whether x is to move after a move of the shipped certificate and a reply of o."""
    book = shipped()
    if book is None or len(board.moves) < 2:
        return False
    before = board.copy()
    before.pop()
    move = before.pop()
    record = book.find(before)
    return record is not None and record.move == move.number


class ProofSearch:
    """One call of `solve`: a position, its budget, and what has been found."""

    def __init__(
        self,
        solver: NineboardSolver,
        board: Board,
        budget: Budget,
        on_info: Inform,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        self.solver = solver
        self.core = solver.core
        self.board = board
        self.marks, self.board_in_force, _ = board.picture()
        self.budget = budget
        self.on_info = on_info
        self.checkpoint = checkpoint
        self.details: dict[str, Any] = {}
        if checkpoint is not None:
            self.details = {
                "nodes_before": checkpoint.nodes,
                "seconds_before": round(checkpoint.seconds, 3),
            }

    def from_book(self) -> Solution | None:
        """The answer of the shipped certificate: x wins in its positions, o loses where x has an
        answer to every reply."""
        book = shipped()
        if book is None or self.board.is_game_over():
            return None
        record = book.find(self.board)
        if record is not None:
            return self.solution("win", self.board.ruleset.moves[record.move])
        if self.board.turn == "x":
            return None
        hardest, most = None, -1.0
        for reply in self.board.legal_moves:
            self.board.push(reply)
            nodes = self.book_nodes(book)
            self.board.pop()
            if nodes is None:
                return None
            if nodes > most:
                hardest, most = reply, nodes
        if most == 0:
            return None  # the search counts the plies of a loss in two
        return self.solution("loss", hardest)

    def book_nodes(self, book: Certificate) -> float | None:
        """How hard the win of x is, who is to move: 0 if it wins at once, infinite inside the tree
        of the certificate; None if the certificate does not contain the position."""
        if not self.board.is_game_over() and any(map(self.board.is_legal, self.board.wins())):
            return 0.0
        record = book.find(self.board)
        if record is None:
            return None
        return inf if record.nodes is None else float(record.nodes)

    def solve(self) -> Solution:
        outcome = self.board.outcome_value()
        if outcome is not None:
            return self.solution(VALUES[outcome], None, 0)
        legal = {move.number: move for move in self.board.legal_moves}
        winning, safe = self.core.wins_and_safe(self.marks, self.board_in_force)
        if winning:
            return self.solution("win", legal[winning[0]], 1)
        if not safe:
            return self.solution("loss", next(iter(legal.values())), 2)
        side = self.board.ply % 2
        found = self.prove(side)
        likeliest = self.likeliest(found, PROOF)
        if found["proof"] and found["disproof"]:
            return self.solution("unknown", likeliest)
        if found["proof"] == 0:
            return self.solution("win", likeliest)
        if not found["drawn"]:
            hardest = max(found["children"], key=lambda child: child[EFFORT])
            return self.solution("loss", legal[hardest[MOVE]])
        found = self.prove(1 - side)
        likeliest = self.likeliest(found, DISPROOF)
        if found["proof"] and found["disproof"]:
            return self.solution("unknown", likeliest)
        return self.solution("loss" if found["proof"] == 0 else "draw", likeliest)

    def prove(self, attacker: int) -> dict[str, Any]:
        """The core's record of the search for a win of one side (0: x), slice by slice."""
        sliced = self.on_info is not None or self.checkpoint is not None
        while True:
            found = self.core.prove(
                self.marks,
                self.board_in_force,
                attacker,
                max(self.budget.nodes_left, 1),
                self.span(sliced),
            )
            self.budget.spend(found["nodes"])
            self.details |= {
                "attacker": "xo"[attacker],
                "proof": found["proof"],
                "disproof": found["disproof"],
            }
            if sliced:
                counts = self.core.efforts()
                self.details["table_fill"] = round(1 - counts[0] / sum(counts), 4)
            done = not (found["proof"] and found["disproof"]) or not sliced or self.solver.stopping
            done = done or self.budget.exhausted
            self.save(done)
            if done:
                return {**found}
            if self.on_info is not None:
                likely = PROOF if attacker == self.board.ply % 2 else DISPROOF
                self.on_info(self.solution("unknown", self.likeliest(found, likely)))

    def likeliest(self, found: Mapping[str, Any], field: int) -> Move:
        """The move with the least proof or disproof number."""
        best = min(found["children"], key=lambda child: child[field])
        number: int = best[MOVE]
        return self.board.ruleset.moves[number]

    def span(self, sliced: bool) -> float:
        """Seconds for the next slice; 0 if unlimited."""
        left = self.budget.seconds_left
        return min(left or SLICE, SLICE) if sliced else left

    def save(self, now: bool) -> None:
        """Writes the checkpoint, if there is one and it is due or `now`."""
        if self.checkpoint is not None:
            self.checkpoint.write(self.core, self.budget.nodes, self.budget.seconds, now)
            self.solver.saved = self.solver.saved or now

    def solution(self, value: str, move: Move | None, plies: int | None = None) -> Solution:
        hidden = () if value == "unknown" else ("attacker", "proof", "disproof")
        details = {name: item for name, item in self.details.items() if name not in hidden}
        return Solution(
            value=value,
            game_score=None,
            plies=plies if value != "draw" else None,
            move=move,
            best=[] if move is None or value == "unknown" else [move],
            low=None,
            high=None,
            nodes=self.budget.nodes,
            seconds=self.budget.seconds,
            details=details,
        )


SOLVER = NineboardSolver
