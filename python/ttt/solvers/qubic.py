"""The solver of Qubic: threat search, the shipped strategy, proof search."""

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

from ttt.board import Board, board_class
from ttt.limits import UNLIMITED, Budget, check_threads
from ttt.solvers.base import VALUES, Inform, Solution, Solver
from ttt.solvers.strategy import Strategy, shipped
from ttt_core.move import Move
from ttt_core.solvers.qubic import solver as core

FEW, ALL = (4, 7), (64, 64)
"""The number of moves that the attacker tries: with at most four stones on the board, and later."""
FIRST_ROUND = 200_000
"""Nodes of the first round of proof search; each further round has sixteen times as many."""
LESS = 64
"""The side whose proof looks harder gets this many times fewer nodes."""


def stones(board: Board) -> tuple[int, int]:
    """The stones of the side to move and of the other as bitboards: bit = number of the move."""
    marks = board.marks
    words = {side: sum(1 << i for i, mark in enumerate(marks) if mark == side) for side in "xo"}
    return words[board.turn], words["o" if board.turn == "x" else "x"]


class QubicSolver(Solver):
    """`QubicSolver().solve(Board("qubic"))` proves the first player's win."""

    flags: ClassVar = {"no-book": "do not use the shipped strategy"}
    has_threats = True

    def __init__(self, hash: int = 128, threads: int = 1) -> None:
        check_threads(threads)
        self.start = board_class("qubic")()
        self.stopping = False
        self.core = core.Solver(hash, threads)

    def stop(self) -> None:
        self.stopping = True
        self.core.stop()

    def clear(self) -> None:
        self.core.clear()

    def threats(self, board: Board, nodes: int | None = None) -> list[Move] | None:
        """A winning sequence of threats for the side to move: its move, the forced reply, its move
        and so on; the last move makes two threats. None if there is none."""
        if board.is_game_over():
            return None
        cells, _ = self.core.threats(*stones(board), UNLIMITED if nodes is None else nodes)
        return None if cells is None else [board.ruleset.moves[cell] for cell in cells]

    def solve_within(
        self,
        board: Board,
        budget: Budget,
        on_info: Inform = None,
        no_book: bool = False,
        **settings: Any,
    ) -> Solution:
        """The value of a position; the plies of a win or loss are an upper bound. Nodes are those
        of the threat search."""
        self.stopping = False
        return ProofSearch(self, board, budget, on_info, not no_book).solve()

    def move(self, board: Board) -> Move | None:
        """The best move known from threats and the shipped strategy: the fastest win or the slowest
        loss. None if they do not decide the position."""
        found = self.solve(board, nodes=1)
        return found.move if found.proven else None


class ProofSearch:
    """One call of `solve`: a position, its budget, and what has been found."""

    def __init__(
        self, solver: QubicSolver, board: Board, budget: Budget, on_info: Inform, book: bool
    ) -> None:
        self.solver = solver
        self.core = solver.core
        self.board = board
        self.mine, self.theirs = stones(board)
        self.other = "o" if board.turn == "x" else "x"
        self.budget = budget
        self.on_info = on_info
        self.book = shipped() if book else None
        self.counters = {"expansions": 0, "positions": 0, "threat_nodes": 0}

    def solve(self) -> Solution:
        outcome = self.board.outcome_value()
        if outcome is not None:
            return self.found(VALUES[outcome], 0, [])
        threats, nodes = self.core.threats(self.mine, self.theirs)
        self.count({"threat_nodes": nodes})
        if threats is not None:
            return self.found("win", len(threats), threats[:1])
        advice = self.advice(self.mine, self.theirs, self.board.turn)
        if advice is not None:
            return self.found("win", advice.plies, [advice.cell])
        return self.weigh_replies() or self.prove()

    def advice(self, winner: int, other: int, side: str) -> Any:
        """The move of the shipped strategy with `side` to move; None if it has none."""
        if not isinstance(self.book, Strategy) or side != self.book.winner:
            return None
        return self.book.find(winner, other)

    def weigh_replies(self) -> Solution | None:
        """After each move, looks for a win of the other side by threats or by the strategy. Returns
        a loss if all moves lose; otherwise None, and sets `self.safe` to the moves that do not."""
        lost: dict[int, int] = {}
        for move in self.board.legal_moves:
            mine = self.mine | 1 << move.number
            threats, nodes = self.core.threats(self.theirs, mine)
            self.count({"threat_nodes": nodes})
            advice = self.advice(self.theirs, mine, self.other) if threats is None else None
            if threats is not None:
                lost[move.number] = len(threats) + 1
            elif advice is not None:
                lost[move.number] = advice.plies + 1
        self.safe = [move.number for move in self.board.legal_moves if move.number not in lost]
        if self.safe:
            return None
        longest = max(lost.values())
        return self.found("loss", longest, [cell for cell in lost if lost[cell] == longest])

    def prove(self) -> Solution:
        """Searches for a win of either side: first with the best moves only, then with all."""
        for width in (FEW, ALL):
            hardness = {True: 1, False: 1}
            nodes = FIRST_ROUND
            while hardness:
                for rank, mover in enumerate(sorted(hardness, key=lambda side: hardness[side])):
                    record = self.attack(mover, width, nodes // LESS if rank else nodes)
                    if record["proof"] == 0:
                        return self.proven(mover)
                    if record["disproof"] == 0:
                        del hardness[mover]
                    elif self.budget.exhausted or self.solver.stopping:
                        return self.found("unknown", None, self.safe)
                    else:
                        hardness[mover] = record["proof"]
                nodes *= 16
        return self.found("draw", None, self.safe)

    def attack(self, mover: bool, width: tuple[int, int], nodes: int) -> dict[str, Any]:
        """The core's record of one side's search for a win."""
        sides = (self.mine, self.theirs) if mover else (self.theirs, self.mine)
        inform = None
        if self.on_info is not None:
            inform = partial(self.inform, self.board.turn if mover else self.other)
        most = max(1, min(nodes, self.budget.nodes_left))
        record = self.core.prove(*sides, mover, *width, most, self.budget.seconds_left, inform)
        self.count(record)
        return {**record}

    def inform(self, attacker: str, record: Mapping[str, Any]) -> None:
        """Reports a running proof."""
        assert self.on_info is not None
        numbers = {name: record[name] for name in ("proof", "disproof", "positions")}
        now = self.found("unknown", None, self.safe)
        details = {**now.details, "attacker": attacker, **numbers}
        self.on_info(now._replace(nodes=now.nodes + record["threat_nodes"], details=details))

    def count(self, record: Mapping[str, Any]) -> None:
        """Adds to the counters and spends the threat nodes of the budget."""
        for name in self.counters:
            self.counters[name] += record.get(name, 0)
        self.budget.spend(record["threat_nodes"])

    def proven(self, mover: bool) -> Solution:
        if mover:
            return self.found("win", None, [self.core.winning_move(self.mine, self.theirs)])
        return self.found("loss", None, self.safe)

    def found(self, value: str, plies: int | None, cells: list[int]) -> Solution:
        best = [self.board.ruleset.moves[cell] for cell in cells]
        return Solution(
            value=value,
            game_score=None,
            plies=plies,
            move=best[0] if best else None,
            best=[] if value == "unknown" else best,
            low=None,
            high=None,
            nodes=self.budget.nodes,
            seconds=self.budget.seconds,
            details=dict(self.counters),
            exact=plies is None or plies <= 1,
        )


SOLVER = QubicSolver
