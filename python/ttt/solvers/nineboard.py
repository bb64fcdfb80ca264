"""Nine-board: who wins, by proof search.

The search asks whether the side to move wins. If it does not, and no draw had a part in that, it
loses; otherwise a second search asks whether the other side wins. How long a win takes is not told
beyond the first two plies. A long search can be kept in a file: see `ttt.checkpoint`.
"""

from collections.abc import Callable
from time import perf_counter
from typing import Any

from ttt.board import Board
from ttt.boards.nineboard import NineboardBoard
from ttt.limits import UNLIMITED, check_limits, check_threads
from ttt.solvers.base import Solution, Solver
from ttt.solvers.checkpoint import Checkpoint
from ttt_core.move import Move
from ttt_core.solvers.nineboard import solver as nineboard

SLICE = 1.0
"""Seconds between two reports of a search."""
MOVE, PROOF, DISPROOF, EFFORT = range(4)
"""What the core tells of a move."""


class NineboardSolver(Solver):
    """With several threads the search is another one each time, and so may be the moves told."""

    values = {  # noqa: RUF012
        "checkpoint": ("FILE", "keep the search in this file, and go on with what it holds")
    }

    def __init__(self, hash: int = 64, threads: int = 1, **options: Any) -> None:
        check_threads(threads)
        self.start = NineboardBoard(**options)
        self.core = nineboard.Solver(bool(self.start.ruleset.options[0]), hash, threads)
        self.stopping = False

    def solve(
        self,
        board: Board,
        nodes: int | None = None,
        time: float | None = None,
        on_info: Callable[[Solution], None] | None = None,
        checkpoint: str | None = None,
        **settings: Any,
    ) -> Solution:
        """The value of a position and a move that keeps it. `details` has the proof and disproof
        number of a question that is still open and the share of the table in use; `checkpoint`
        names a file that holds the search: it is read first if there is one, and written every
        minute."""
        if settings:
            raise TypeError(f"nineboard has no setting {next(iter(settings))!r}: checkpoint")
        check_limits(None, nodes, time)
        if not isinstance(board, NineboardBoard):
            raise ValueError(f"the solver solves nineboard, the board is {board.game}")
        if board.options != self.start.options:
            raise ValueError("the board has other options than the solver")
        self.stopping = False
        question = Question(self, board, nodes, time, on_info)
        if checkpoint is not None:
            question.keep(Checkpoint(checkpoint, board.text(), self.core))
        return question.solve()

    @classmethod
    def worth_asking(cls, board: Board, nodes: int | None, time: float | None) -> bool:
        return board.ply >= 16

    def try_within(self, board: Board, nodes: int | None, time: float | None) -> Solution:
        """What a share of these limits suffices for, which grows with the plies played; without
        any, a million nodes."""
        if nodes is None and time is None:
            nodes = 1_000_000
        share = min(1.0, max(1, board.ply - 14) / 20)
        return self.solve(
            board,
            None if nodes is None else max(1, int(share * nodes)),
            None if time is None else share * time,
        )

    def stop(self) -> None:
        self.stopping = True
        self.core.stop()

    def clear(self) -> None:
        self.core.clear()


class Question:
    """One call of `solve`: a position, its limits, and what they have been spent on."""

    def __init__(
        self,
        solver: NineboardSolver,
        board: NineboardBoard,
        nodes: int | None,
        time: float | None,
        on_info: Callable[[Solution], None] | None,
    ) -> None:
        self.solver = solver
        self.core = solver.core
        self.board = board = board.copy()  # it may move while it is searched
        self.marks, self.board_in_force, _ = board.picture()
        self.limit = nodes or UNLIMITED
        self.time = time
        self.on_info = on_info
        self.checkpoint: Checkpoint | None = None
        self.nodes = 0
        self.began = perf_counter()
        self.details: dict[str, Any] = {}

    def keep(self, checkpoint: Checkpoint) -> None:
        """Goes on with what the file holds, and writes to it."""
        self.checkpoint = checkpoint
        before = checkpoint.read()
        self.details = {
            "nodes_before": before["nodes"],
            "seconds_before": round(before["seconds"], 3),
        }

    def solve(self) -> Solution:
        if self.board.outcome() is not None:
            result = self.board.result() or 0
            return self.solution({1: "win", 0: "draw", -1: "loss"}[result], None, 0)
        legal = {move.number: move for move in self.board.legal_moves}
        winning, safe = self.core.wins_and_safe(self.marks, self.board_in_force)
        if winning:
            return self.solution("win", legal[winning[0]], 1)
        if not safe:
            return self.solution("loss", next(iter(legal.values())), 2)
        side = self.board.ply % 2
        found = self.ask(side)
        likeliest = legal[min(found["children"], key=lambda child: child[PROOF])[MOVE]]
        if found["proof"] and found["disproof"]:
            return self.solution("unknown", likeliest)
        if found["proof"] == 0:
            return self.solution("win", likeliest)
        if not found["drawn"]:
            hardest = max(found["children"], key=lambda child: child[EFFORT])
            return self.solution("loss", legal[hardest[MOVE]])
        found = self.ask(1 - side)
        likeliest = legal[min(found["children"], key=lambda child: child[DISPROOF])[MOVE]]
        if found["proof"] and found["disproof"]:
            return self.solution("unknown", likeliest)
        return self.solution("loss" if found["proof"] == 0 else "draw", likeliest)

    def ask(self, attacker: int) -> dict[str, Any]:
        """The record of the search for a win of one side (0: x), slice by slice."""
        sliced = self.on_info is not None or self.checkpoint is not None
        while True:
            try:
                found = self.core.prove(
                    self.marks,
                    self.board_in_force,
                    attacker,
                    max(self.limit - self.nodes, 1),
                    self.span(sliced),
                )
            except KeyboardInterrupt:
                self.save(True)
                raise
            self.nodes += found["nodes"]
            self.details |= {
                "attacker": "xo"[attacker],
                "proof": found["proof"],
                "disproof": found["disproof"],
            }
            if sliced:
                counts = self.core.efforts()
                self.details["table_fill"] = round(1 - counts[0] / sum(counts), 4)
            done = not (found["proof"] and found["disproof"]) or self.spent() or not sliced
            done = done or self.solver.stopping
            self.save(done)
            if done:
                return {**found}
            if self.on_info is not None:
                self.on_info(self.solution("unknown", None))

    def spent(self) -> bool:
        """Whether a limit is reached."""
        late = self.time is not None and perf_counter() - self.began >= self.time
        return late or self.nodes >= self.limit

    def span(self, sliced: bool) -> float:
        """Seconds for the next piece of work; 0: as many as it takes."""
        if self.time is None:
            return SLICE if sliced else 0.0
        left = max(self.time - (perf_counter() - self.began), 1e-6)
        return min(left, SLICE) if sliced else left

    def save(self, now: bool) -> None:
        """Writes the checkpoint, if there is one and it is time or `now`."""
        if self.checkpoint is not None:
            self.checkpoint.write(self.nodes, perf_counter() - self.began, now)

    def solution(self, value: str, move: Move | None, plies: int | None = None) -> Solution:
        question = () if value == "unknown" else ("attacker", "proof", "disproof")
        details = {name: told for name, told in self.details.items() if name not in question}
        return Solution(
            value=value,
            score=None,
            plies=plies if value != "draw" else None,
            move=move,
            best=[] if move is None or value == "unknown" else [move],
            low=None,
            high=None,
            nodes=self.nodes,
            seconds=perf_counter() - self.began,
            details=details,
        )


SOLVER = NineboardSolver
