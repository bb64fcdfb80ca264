"""Scores for every legal move of a position, by alternating search and solver."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ttt.board import Board
from ttt.limits import UNLIMITED, Budget, Limit
from ttt.score import Score
from ttt.search.result import Line, MoveAnalysis, MoveScore
from ttt.solvers.base import Solution, solver_class
from ttt_core.move import Move

if TYPE_CHECKING:
    from ttt.engine import Engine
    from ttt_core.interface import SearchRecord

SLICE_NODES = 20_000
"""Nodes that the solver may spend on each move in the first round."""
SLICE_FACTOR = 4
"""Each further round multiplies that by this factor."""
LEAST_NODES, LEAST_SECONDS = 1_000, 0.002
"""The solver is used only if the limit allows at least this much per move."""
EXTEND_NODES = 200_000
"""Nodes for each further move of a proven line."""
SLOTS_PER_SECOND = 10_000_000
"""Table slots that one thread can fill in a second, roughly."""


def lines_of(record: "SearchRecord") -> list[Line]:
    """The lines of a search, best first. A win or loss beyond the finished depth may have a quicker
    end: its plies are an upper bound."""
    scores = [(Score.from_core(number), moves) for number, moves in record["lines"]]
    return [
        Line(score if (score.plies or 0) <= record["depth"] else bound(score), moves)
        for score, moves in scores
    ]


def bound(score: Score) -> Score:
    """The score with its plies as an upper bound."""
    kind = Score.win if score.sign > 0 else Score.loss
    return kind(score.plies, exact=False)


def useful_slots(limit: Limit, threads: int) -> float:
    """The number of table slots that a search within this limit can use."""
    return min(
        float(UNLIMITED) if limit.nodes is None else 2.0 * limit.nodes,
        float(UNLIMITED) if limit.time is None else SLOTS_PER_SECOND * limit.time * threads,
    )


def extend_line(
    engine: "Engine", board: Board, line: list[Move], moves: int, seconds: float
) -> list[Move]:
    """The line of a proven result, continued while the positions after it are proven too: a solver
    gives only the best move. At most `moves` moves, for at most `seconds`."""
    budget = Budget(Limit(time=seconds))
    found = list(line)
    after = board.copy()
    after.push_moves(found)
    while len(found) < moves and not after.is_game_over() and not budget.exhausted:
        result = engine.search(after, Limit(nodes=EXTEND_NODES, time=budget.seconds_left))
        if not result.proven:
            break
        found += result.line
        after.push_moves(result.line)
    return found[: max(moves, len(line))]


class MoveTable:
    """The best score known for each move. An estimate never replaces a proven score."""

    def __init__(self, board: Board, engine: "Engine") -> None:
        """Starts with the evaluation after each move, or with what is proven about it."""
        self.board = board
        self.depth = 0
        self.after: dict[Move, Board] = {}
        self.entries: dict[Move, MoveScore] = {}
        for move in board.legal_moves:
            after = self.after[move] = board.copy()
            after.push(move)
            value = after.outcome_value()
            if value is None:
                score = Score(-engine.evaluate(after))
            else:
                score = Score.of_outcome(value).before()
            self.entries[move] = MoveScore(move, score, value is not None, [move])
            known = engine.recall(after)
            if known is not None:
                self.prove(move, known.solution, known.line)

    def unproven(self) -> list[Move]:
        """The moves whose true result is not known, in the order of `legal_moves`."""
        return [move for move, entry in self.entries.items() if not entry.proven]

    def take_lines(self, lines: Iterable[Line], depth: int, complete: bool) -> None:
        """Stores the lines of a finished iteration; `complete`: it reached the end of the game."""
        if depth < self.depth:  # a new search, still shallower than the last one
            return
        self.depth = depth
        for score, moves in lines:
            proven = complete or score.value is not None
            if proven or not self.entries[moves[0]].proven:
                entry = self.entries[moves[0]]
                self.entries[moves[0]] = MoveScore(moves[0], score, proven, moves, entry.game_score)

    def prove(self, move: Move, reply: Solution, line: list[Move]) -> None:
        """Stores the proven value of the position after a move, unless the stored score already has
        the number of plies and this one adds no score in the game's own units."""
        entry = self.entries[move]
        game_score = None if reply.game_score is None else -reply.game_score
        if not entry.proven or game_score is not None or entry.plies is None:
            score = reply.score.before()
            self.entries[move] = MoveScore(move, score, True, [move, *line], game_score)

    def analysis(self, budget: Budget) -> MoveAnalysis:
        """The scores known now."""
        moves = sorted(self.entries.values(), key=lambda entry: entry.score, reverse=True)
        return MoveAnalysis(self.board, moves, self.depth, budget.nodes, budget.seconds)


class MoveAnalyser:
    """One call of `Engine.analyse_moves` or `Engine.solve_moves`."""

    def __init__(
        self,
        engine: "Engine",
        board: Board,
        budget: Budget,
        on_info: Callable[[MoveAnalysis], None] | None,
    ) -> None:
        self.engine = engine
        self.board = board
        self.budget = budget
        self.on_info = on_info
        self.table = MoveTable(board, engine)
        self.solved: set[Move] = set()

    def may_solve(self) -> bool:
        """Whether the game has its own solver, and the budget is large enough to use it."""
        kind = solver_class(self.board.game)
        limit = self.budget.limit
        if kind is None or not self.engine.has_own_solver(self.board) or limit.depth is not None:
            return False
        share = limit.share(max(len(self.table.entries), 1))
        return not limit or (
            (share.nodes is None or share.nodes >= LEAST_NODES)
            and (share.time is None or share.time >= LEAST_SECONDS)
            and kind.worth_asking(self.board, share)
        )

    def run(self, solving: bool, searching: bool, **settings: Any) -> MoveAnalysis:
        """Alternates search and solver, with more nodes in each round. Without the solver, the
        search runs once."""
        engine, table, nodes = self.engine, self.table, SLICE_NODES
        engine.stopped = False
        engine.analysis = table.analysis(self.budget)
        try:
            while not self.ended():
                unproven = table.unproven()
                if searching and unproven:
                    self.search(unproven, nodes * len(unproven) if solving else UNLIMITED)
                wanted = self.unsolved() if solving else []
                if not wanted:
                    break
                self.solve(wanted, nodes, **settings)
                self.inform()
                nodes *= SLICE_FACTOR
        finally:
            engine.analysis = table.analysis(self.budget)
            self.remember(engine.analysis)
        return engine.analysis

    def remember(self, analysis: MoveAnalysis) -> None:
        """Stores what is proven about the position and those after its moves."""
        for entry in analysis:
            if entry.proven and len(entry.line) > 1:
                after = self.table.after[entry.move]
                self.engine.note(after, entry.score.after(), entry.line[1:])
        best = analysis.moves[0] if analysis.moves else None
        if best is not None and best.proven and (analysis.proven or best.score.value == "win"):
            equal = [entry.move for entry in analysis if entry.score == best.score]
            self.engine.note(self.board, best.score, best.line, best=equal)

    def ended(self) -> bool:
        """Whether a limit is reached, or `Engine.stop` was called."""
        return self.engine.stopped or self.budget.exhausted

    def inform(self) -> None:
        """Publishes the scores known now."""
        self.engine.analysis = self.table.analysis(self.budget)
        if self.on_info is not None:
            self.on_info(self.engine.analysis)

    def unsolved(self) -> list[Move]:
        """The moves still to be solved. A solver with exact plies also gets the moves that the
        search has proven."""
        if not self.engine.solver.exact_plies:
            return self.table.unproven()
        return [move for move in self.table.entries if move not in self.solved]

    def search(self, moves: list[Move], nodes: int) -> None:
        """Searches some moves, all to the same depth. Uses finished iterations only: the scores of
        an unfinished one are bounds."""
        spent = self.budget.nodes

        def take(record: "SearchRecord") -> None:
            self.budget.nodes = spent + record["nodes"]
            self.table.take_lines(lines_of(record), record["depth"], record["complete"])
            self.inform()

        record = self.engine.core_search(
            self.board,
            self.budget.left(nodes),
            len(moves),
            [move.number for move in moves],
            take,
            self.engine.reduce,
            useful_slots(self.budget.limit, self.engine.threads),
        )
        self.budget.nodes = spent + record["nodes"]
        if record["raised"] is not None:
            raise record["raised"]

    def solve(self, moves: list[Move], nodes: int, **settings: Any) -> None:
        """Solves the position after each move."""
        for move in moves:
            if self.ended():
                return
            limit = self.budget.left(nodes)
            found = self.engine.solver.solve(self.table.after[move], limit, **settings)
            self.budget.spend(found.nodes)
            if found.proven:
                if not self.table.after[move].is_game_over():
                    self.engine.remember(self.table.after[move], found)
                self.solved.add(move)
                self.table.prove(move, found, [] if found.move is None else [found.move])
