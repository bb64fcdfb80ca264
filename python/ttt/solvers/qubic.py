"""The solver of Qubic: threat search, the shipped strategy, proof search."""

from collections.abc import Callable, Mapping
from functools import partial
from time import perf_counter
from typing import Any, ClassVar

from ttt.board import Board
from ttt.limits import UNLIMITED, check_limits, check_threads
from ttt.solvers.base import Solution, Solver
from ttt.solvers.strategy import Strategy, shipped
from ttt_core.move import Move
from ttt_core.solvers.qubic import solver as core

FEW, ALL = (4, 7), (64, 64)
"""Moves the attacker tries in positions of at most four stones, and later."""
FIRST_ROUND = 200_000
"""Nodes before the other side has its turn; sixteen times as many in each further round."""
LESS = 64
"""The side whose proof looks harder has so many times fewer."""


def stones(board: Board) -> tuple[int, int]:
    """The stones of the side to move and of the other, as words: bit = number of the move."""
    marks = board.marks
    words = {side: sum(1 << i for i, mark in enumerate(marks) if mark == side) for side in "xo"}
    return words[board.turn], words["o" if board.turn == "x" else "x"]


class QubicSolver(Solver):
    """`QubicSolver().solve(Board("qubic"))` proves the first player's win."""

    flags: ClassVar = {"no-book": "do without the shipped strategy"}
    has_threats = True

    def __init__(self, hash: int = 128, threads: int = 1) -> None:
        check_threads(threads)
        self.core = core.Solver(hash, threads)

    def stop(self) -> None:
        self.core.stop()

    def clear(self) -> None:
        self.core.clear()

    def threats(self, board: Board, nodes: int | None = None) -> list[Move] | None:
        """The chain of threes by which the side to move wins, None if there is none: its move, the
        reply, its move, the reply and so on; the last of its moves has two replies."""
        if board.is_game_over():
            return None
        chain, _ = self.core.threats(*stones(board), UNLIMITED if nodes is None else nodes)
        return None if chain is None else [board.ruleset.moves[cell] for cell in chain]

    def solve(
        self,
        board: Board,
        nodes: int | None = None,
        time: float | None = None,
        on_info: Callable[[Solution], None] | None = None,
        no_book: bool = False,
        **settings: bool,
    ) -> Solution:
        """The value of a position, "unknown" where a limit came first; the plies of a win or loss
        are at most those. A node is one of the threat search."""
        return Attempt(self.core, board, nodes, time, on_info, not no_book).run()

    def move(self, board: Board) -> Move | None:
        """The perfect move as far as chains and the shipped strategy tell it: the shortest way to a
        win or the longest to a loss. None where they tell nothing."""
        found = self.solve(board, nodes=1)
        return None if found.value == "unknown" else found.move


class Attempt:
    """One call of `Solver.solve`."""

    def __init__(
        self,
        solver: core.Solver,
        board: Board,
        nodes: int | None,
        time: float | None,
        on_info: Callable[[Solution], None] | None,
        book: bool,
    ) -> None:
        if board.game != "qubic":
            raise ValueError(f"the solver solves qubic, the board is {board.game}")
        check_limits(None, nodes, time)
        self.core = solver
        self.board = board = board.copy()  # it may move while it is searched
        self.mine, self.theirs = stones(board)
        self.other = "o" if board.turn == "x" else "x"
        self.left = UNLIMITED if nodes is None else nodes
        self.deadline = None if time is None else perf_counter() + time
        self.on_info = on_info
        self.book = shipped() if book else None
        self.began = perf_counter()
        self.nodes = 0
        self.counters = {"expansions": 0, "positions": 0, "threat_nodes": 0}

    def run(self) -> Solution:
        result = self.board.result()
        if result is not None:
            return self.found("win" if result > 0 else "loss" if result else "draw", 0, [])
        chain, nodes = self.core.threats(self.mine, self.theirs)
        self.count({"threat_nodes": nodes})
        if chain is not None:
            return self.found("win", len(chain), chain[:1])
        advice = self.advice(self.mine, self.theirs, self.board.turn)
        if advice is not None:
            return self.found("win", advice.plies, [advice.cell])
        return self.weigh_replies() or self.prove()

    def advice(self, winner: int, other: int, side: str) -> Any:
        """What the shipped strategy says with `side` to move."""
        if not isinstance(self.book, Strategy) or side != self.book.winner:
            return None
        return self.book.find(winner, other)

    def weigh_replies(self) -> Solution | None:
        """What chains and the strategy of the other side say of each move. A loss where all moves
        lose; None, and the moves that are left in `self.safe`, otherwise."""
        lost: dict[int, int] = {}
        for move in self.board.legal_moves:
            mine = self.mine | 1 << move.number
            chain, nodes = self.core.threats(self.theirs, mine)
            self.count({"threat_nodes": nodes})
            advice = self.advice(self.theirs, mine, self.other) if chain is None else None
            if chain is not None:
                lost[move.number] = len(chain) + 1
            elif advice is not None:
                lost[move.number] = advice.plies + 1
        self.safe = [move.number for move in self.board.legal_moves if move.number not in lost]
        if self.safe:
            return None
        longest = max(lost.values())
        return self.found("loss", longest, [cell for cell in lost if lost[cell] == longest])

    def prove(self) -> Solution:
        """Both sides try in turn to prove a win, first with their best moves, then with all."""
        for width in (FEW, ALL):
            hardness = {True: 1, False: 1}
            budget = FIRST_ROUND
            while hardness:
                for rank, mover in enumerate(sorted(hardness, key=lambda side: hardness[side])):
                    record = self.attack(mover, width, budget // LESS if rank else budget)
                    if record["proof"] == 0:
                        return self.proven(mover)
                    if record["disproof"] == 0:
                        del hardness[mover]
                    elif self.spent():
                        return self.found("unknown", None, self.safe)
                    else:
                        hardness[mover] = record["proof"]
                budget *= 16
        return self.found("draw", None, self.safe)

    def attack(self, mover: bool, width: tuple[int, int], budget: int) -> dict[str, Any]:
        sides = (self.mine, self.theirs) if mover else (self.theirs, self.mine)
        limit = 0.0 if self.deadline is None else max(self.deadline - perf_counter(), 1e-6)
        tell = None
        if self.on_info is not None:
            tell = partial(self.inform, self.board.turn if mover else self.other)
        most = max(1, min(budget, self.left))
        record = self.core.prove(*sides, mover, *width, most, limit, tell)
        self.left -= record["threat_nodes"]
        self.count(record)
        return {**record}

    def inform(self, attacker: str, record: Mapping[str, Any]) -> None:
        """Passes on how a running proof goes."""
        assert self.on_info is not None
        numbers = {name: record[name] for name in ("proof", "disproof", "positions")}
        now = self.found("unknown", None, self.safe)
        details = {**now.details, "attacker": attacker, **numbers}
        self.on_info(now._replace(nodes=now.nodes + record["threat_nodes"], details=details))

    def count(self, record: Mapping[str, Any]) -> None:
        for name in self.counters:
            self.counters[name] += record.get(name, 0)

    def spent(self) -> bool:
        late = self.deadline is not None and perf_counter() >= self.deadline
        return late or self.left <= 0

    def proven(self, mover: bool) -> Solution:
        if mover:
            return self.found("win", None, [self.core.winning_move(self.mine, self.theirs)])
        return self.found("loss", None, self.safe)

    def found(self, value: str, plies: int | None, cells: list[int]) -> Solution:
        best = [self.board.ruleset.moves[cell] for cell in cells]
        bounds = {"win": (1, 1), "draw": (0, 0), "loss": (-1, -1), "unknown": (-1, 1)}[value]
        return Solution(
            value=value,
            score=bounds[0] if value != "unknown" else None,
            plies=plies,
            move=best[0] if best else None,
            best=[] if value == "unknown" else best,
            low=bounds[0],
            high=bounds[1],
            nodes=self.counters["threat_nodes"],
            seconds=perf_counter() - self.began,
            details=dict(self.counters),
        )


SOLVER = QubicSolver
