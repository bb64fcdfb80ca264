"""The solver of nine-board: win, draw or loss by proof search.

The first search asks whether the side to move wins. If it does not, and no draw occurred in the
proof, it loses; otherwise a second search asks whether the other side wins. The length of a win is
known only up to two plies. A long search can be saved to a file: see `ttt.solvers.checkpoint`.
"""

from typing import Any, ClassVar

from ttt.board import Board
from ttt.boards.nineboard import NineboardBoard
from ttt.limits import Budget, Limit, check_threads
from ttt.solvers.base import VALUES, Inform, Solution, Solver
from ttt.solvers.checkpoint import Checkpoint
from ttt.storage.weights import load_shipped
from ttt_core.move import Move
from ttt_core.solvers.nineboard import solver as nineboard

SLICE = 1.0
"""Seconds between two reports of a search."""
MOVE, PROOF, DISPROOF, EFFORT = range(4)
"""The fields of a move in the core's record."""


class NineboardSolver(Solver):
    """With several threads the search differs from run to run, and so may the best move."""

    values: ClassVar = {
        "checkpoint": ("FILE", "save the search to this file; resume it if the file exists")
    }

    def __init__(self, hash: int = 64, threads: int = 1, **options: Any) -> None:
        check_threads(threads)
        self.start: Board = NineboardBoard(**options)
        weights = load_shipped("nineboard-solver")
        self.core = nineboard.Solver(bool(self.start.ruleset.options[0]), hash, threads, weights)
        self.stopping = False

    def solve_within(
        self,
        board: Board,
        budget: Budget,
        on_info: Inform = None,
        checkpoint: str | None = None,
        **settings: Any,
    ) -> Solution:
        """The value of a position and a best move. `details` has the share of the table in use and,
        if the search is not finished, its proof and disproof numbers. `checkpoint` is a file for
        the search: it is read first if it exists, and written every minute."""
        self.stopping = False
        search = ProofSearch(self, board, budget, on_info)
        if checkpoint is not None:
            search.resume(Checkpoint(checkpoint, board.text(), self.core))
        return search.solve()

    @classmethod
    def worth_asking(cls, board: Board, limit: Limit) -> bool:
        return board.ply >= 16

    def try_within(self, board: Board, limit: Limit) -> Solution:
        """Spends a share of the limit that grows with the plies played; without a limit, a million
        nodes."""
        limit = limit or Limit(nodes=1_000_000)
        share = min(1.0, max(1, board.ply - 14) / 20)
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


class ProofSearch:
    """One call of `solve`: a position, its budget, and what has been found."""

    def __init__(
        self, solver: NineboardSolver, board: Board, budget: Budget, on_info: Inform
    ) -> None:
        self.solver = solver
        self.core = solver.core
        self.board = board
        self.marks, self.board_in_force, _ = board.picture()
        self.budget = budget
        self.on_info = on_info
        self.checkpoint: Checkpoint | None = None
        self.details: dict[str, Any] = {}

    def resume(self, checkpoint: Checkpoint) -> None:
        """Loads the file if it exists, and writes to it from now on."""
        self.checkpoint = checkpoint
        before = checkpoint.read()
        self.details = {
            "nodes_before": before["nodes"],
            "seconds_before": round(before["seconds"], 3),
        }

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
        likeliest = legal[min(found["children"], key=lambda child: child[PROOF])[MOVE]]
        if found["proof"] and found["disproof"]:
            return self.solution("unknown", likeliest)
        if found["proof"] == 0:
            return self.solution("win", likeliest)
        if not found["drawn"]:
            hardest = max(found["children"], key=lambda child: child[EFFORT])
            return self.solution("loss", legal[hardest[MOVE]])
        found = self.prove(1 - side)
        likeliest = legal[min(found["children"], key=lambda child: child[DISPROOF])[MOVE]]
        if found["proof"] and found["disproof"]:
            return self.solution("unknown", likeliest)
        return self.solution("loss" if found["proof"] == 0 else "draw", likeliest)

    def prove(self, attacker: int) -> dict[str, Any]:
        """The core's record of the search for a win of one side (0: x), slice by slice."""
        sliced = self.on_info is not None or self.checkpoint is not None
        while True:
            try:
                found = self.core.prove(
                    self.marks,
                    self.board_in_force,
                    attacker,
                    max(self.budget.nodes_left, 1),
                    self.span(sliced),
                )
            except KeyboardInterrupt:
                self.save(True)
                raise
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
                self.on_info(self.solution("unknown", None))

    def span(self, sliced: bool) -> float:
        """Seconds for the next slice; 0 if unlimited."""
        left = self.budget.seconds_left
        return min(left or SLICE, SLICE) if sliced else left

    def save(self, now: bool) -> None:
        """Writes the checkpoint, if there is one and it is due or `now`."""
        if self.checkpoint is not None:
            self.checkpoint.write(self.budget.nodes, self.budget.seconds, now)

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
