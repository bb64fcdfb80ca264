"""Engine: the search of one game, with its limits, settings and results."""

from collections.abc import Callable, Iterable
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn

from ttt.analysis import MoveAnalyser, lines_of, useful_slots
from ttt.board import Board, board_class
from ttt.limits import (
    DEEPEST,
    UNLIMITED,
    Budget,
    Limit,
    SoftLimit,
    as_limit,
    check_threads,
    check_whole,
    reject_unknown,
)
from ttt.score import Score
from ttt.search.evaluations import evaluation_number
from ttt.search.result import Line, MoveAnalysis, Result
from ttt.solvers.base import Inform, Solution, Solver, solver_class
from ttt.solvers.engine import EngineSolver, result_of
from ttt.solvers.proven import Proven, ProvenPositions, proven_solution
from ttt_core.errors import IllegalMove
from ttt_core.move import Move

if TYPE_CHECKING:
    from typing_extensions import Self

    from ttt_core.interface import SearchRecord

PROBE_NODES = 1_000
"""Nodes searched before the solver starts, so that there is a move if it is interrupted; at most an
eighth of the limit."""
REFIND_FACTOR = 8
"""A node limit is multiplied by this to find a win again that was proven before."""


class Engine:
    """A search for one game: `Engine("nineboard", hash=64, threads=1, full="draw")`.

    `hash` is the size of the table in MiB, which is kept between searches. Several `threads` have
    equal shares of a node limit; the search ends when the main one has used its own. An engine runs
    one search at a time; a second one from another thread waits. All calls work on a snapshot of
    the board. `selective=False` gives exactly the value of minimax at the same depth.

    What the engine has proven about a position stays known until `clear`: later calls return it,
    whatever their limits. A search with `depth` uses nothing else of earlier searches, so that it
    does not mix scores of different depths.

    If the game has an exact solver, a search without `depth`, `moves` and `multipv` runs it first,
    for at most half of the limits; `solver=False` switches that off. If the solver finds several
    equal moves (draws, or losses of unknown length), the search chooses among them, because the
    opponent may err. `book` is the file of an opening book, made by `ttt book`: the solver then
    answers its positions at once.

    >>> with Engine("connect4") as engine:
    ...     board = Board("connect4")
    ...     board.push_moves("4455")
    ...     engine.search(board, depth=12).verdict()
    'win in 3'
    """

    def __init__(
        self,
        game: str,
        hash: int = 64,
        threads: int = 1,
        evaluation: str = "default",
        selective: bool = True,
        reduce: bool = True,
        solver: bool = True,
        book: str | None = None,
        **options: Any,
    ) -> None:
        kind = board_class(game)
        own = ("hash", "threads", "evaluation", "selective", "reduce", "solver", "book")
        names = tuple(choice.name for choice in kind.choices)
        reject_unknown(f"Engine({game!r})", options, (*own, *names))
        self.core = kind.engine_type(kind.make_ruleset(**options), hash)
        check_threads(threads)
        self.game = game
        self.threads = threads
        self.options = options
        self.uses_solver = solver and selective
        self.evaluation = evaluation_number(game, evaluation)
        self.selective = selective
        self.reduce = reduce
        self.result: Result | None = None
        """The result of the latest search, even if Ctrl-C ended it."""
        self.analysis: MoveAnalysis | None = None
        """The latest analysis of all moves, even if Ctrl-C ended it."""
        self._closed = False
        self.stopped = False
        self._proven = ProvenPositions()
        self._lost: tuple[Board, int] | None = None
        """The latest position that a search has proven to be lost for its side to move (after a
        win: the position after its first move), and the most plies to the end."""
        if book is not None:
            self.solver.use_book(book)

    # --- searching -------------------------------------------------------------------------------

    def search(
        self,
        board: Board,
        limit: Limit | None = None,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        time: float | None = None,
        multipv: int = 1,
        moves: Iterable[str] | None = None,
        on_info: Callable[[Result], None] | None = None,
    ) -> Result:
        """The best move: searches until the result is proven or a limit is reached.

        `multipv` is the number of best lines to find, `moves` restricts the first move, `on_info`
        is called after each finished depth. Ctrl-C raises KeyboardInterrupt and leaves `result`.

        Once the engine has proven that a side wins, its next search for that side looks for the win
        only and may spend eight times the node limit, but not more time. This does not apply if
        `depth`, `multipv` or `moves` is given.

        >>> board = Board("tictactoe")
        >>> board.push_moves("1 4 2 5")
        >>> Engine("tictactoe").search(board, Limit(nodes=10_000)).move
        Move('3')
        """
        self._check(board)
        board = board.copy()
        budget = Budget(as_limit(limit, depth, nodes, time))
        check_whole("multipv", multipv)
        legal = board.legal_moves
        numbers = [move.number for move in legal]
        if moves is not None:
            numbers = self._numbers(board, moves)
        if not legal:
            self.result = self._over(board)
            return self.result
        slots = useful_slots(budget.limit, self.threads)
        whole = multipv == 1 and moves is None
        free = whole and budget.limit.depth is None
        self.stopped = False
        known = self.recall(board) if whole else None
        if known is not None and known.solution.move is None:
            known = None
        whole_limit = budget.limit.without_soft_time()
        half = whole_limit.share(2)
        if known is None and free and self._may_solve(board, half):
            few = Budget(whole_limit.share(8)).left(PROBE_NODES)
            probe = self._search(board, few, 1, numbers, None, self.reduce, slots)
            budget.spend(probe.nodes)
            expected = self.solver.expects_win(board)
            share = budget.left().without_soft_time() if expected else half
            known = self._solve_within(board, share, budget)
            if self.stopped and known is None:
                assert self.result is not None
                return self.result
        if known is not None:
            self.result = result_of(board, known)
            searched = known.solution.value == "win" or bool(budget.limit)
            if known.final or not searched or self.stopped:
                if on_info is not None:
                    on_info(self.result)
                return self.result
            if known.solution.value == "draw":
                numbers = [move.number for move in known.solution.best]
        left, reduce = budget.left(), self.reduce
        plies = self._plies_to_win(board) if free else None
        if plies is not None:
            reduce = False
            stretched = None if left.nodes is None else REFIND_FACTOR * left.nodes
            left = left._replace(depth=plies, nodes=stretched)
        inform = on_info if known is None else None
        found = self._search(board, left, multipv, numbers, inform, reduce, slots, plies is None)
        if found.proven and moves is None:
            self.note(board, found.score, found.line, final=found.score.exact)
        if known is not None:
            found = self.result = with_proof(board, found, known)
            if on_info is not None:
                on_info(found)
        return found

    def play(
        self,
        board: Board,
        limit: Limit | None = None,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        time: float | None = None,
    ) -> Move:
        """The move to play. The default limit is one second; the board is not changed.

        >>> board = Board("tictactoe")
        >>> board.push_moves("1 4 2 5")
        >>> board.push(Engine("tictactoe").play(board, Limit(time=0.1)))
        >>> board.result()
        '1-0'
        """
        move = self.search(board, as_limit(limit, depth, nodes, time) or Limit(time=1.0)).move
        if move is None:
            raise ValueError("no move to play: the game is over")
        return move

    def analyse_moves(
        self,
        board: Board,
        limit: Limit | None = None,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        time: float | None = None,
        on_info: Callable[[MoveAnalysis], None] | None = None,
    ) -> MoveAnalysis:
        """The score of every legal move. Runs until all are proven or a limit is reached.

        All moves are searched to the same depth. If the game has an exact solver and `depth` is not
        given, it gets half of the work. `on_info` is called with the scores after each step.
        Ctrl-C raises KeyboardInterrupt and leaves `analysis`.

        >>> board = Board("connect4")
        >>> board.push_moves("32164625")
        >>> analysis = Engine("connect4").analyse_moves(board)
        >>> analysis["4"].verdict(), analysis["4"].game_score
        ('win in 27', 4)
        """
        self._check(board)
        budget = Budget(as_limit(limit, depth, nodes, time))
        analyser = MoveAnalyser(self, board.copy(), budget, on_info)
        return analyser.run(self.uses_solver and analyser.may_solve(), searching=True)

    def solve_moves(
        self,
        board: Board,
        limit: Limit | None = None,
        *,
        nodes: int | None = None,
        time: float | None = None,
        on_info: Callable[[MoveAnalysis], None] | None = None,
        **settings: Any,
    ) -> MoveAnalysis:
        """The true result of every legal move; a limit may leave some moves unproven.

        Other settings are passed to the game's solver, such as `weak=True` for connect4.

        >>> board = Board("tictactoe")
        >>> board.push_moves("1 2 5")
        >>> print(Engine("tictactoe").solve_moves(board))
        9: loss in 4, 3: loss in 2, 4: loss in 2, 6: loss in 2, 7: loss in 2, 8: loss in 2
        """
        self._check(board)
        valid = tuple(name for name in self.solver.settings() if name not in WHOLE_POSITION)
        valid = ("nodes", "time", "on_info", *valid)
        reject_unknown(f"solve_moves of {self.game}", settings, valid)
        budget = Budget(as_limit(limit, None, nodes, time))
        if budget.limit.depth is not None:
            raise ValueError("a solver has no depth limit: give nodes or time")
        solving = self.has_own_solver(board)
        analyser = MoveAnalyser(self, board.copy(), budget, on_info)
        return analyser.run(solving, searching=not solving, **settings)

    def _check_open(self) -> None:
        if self._closed:
            raise ValueError("the engine is closed")

    def _check(self, board: Board) -> None:
        """Raises unless the engine is open and plays the game of the board."""
        self._check_open()
        if not isinstance(board, Board):
            raise TypeError(f"expected a ttt.Board, not {type(board).__name__}")
        if board.game != self.game:
            raise ValueError(f"the engine is for {self.game}, the board is {board.game}")
        if board.ruleset.options != self.core.ruleset.options:
            raise ValueError("the board has other options than the engine")

    @staticmethod
    def _numbers(board: Board, moves: Iterable[str]) -> list[int]:
        """The numbers of legal moves, each once."""
        if isinstance(moves, str):
            raise TypeError(f"moves={moves!r}: expected a list of moves")
        legal = board.legal_moves
        chosen = [board.parse_move(move) for move in moves]
        for move in chosen:
            if move not in legal:
                raise IllegalMove(board.why_illegal(move))
        if legal and not chosen:
            raise ValueError("moves=[]: expected at least one move")
        return [move.number for move in dict.fromkeys(chosen)]

    def core_search(
        self,
        board: Board,
        limit: Limit,
        multipv: int,
        numbers: list[int],
        on_record: "Callable[[SearchRecord], None] | None",
        reduce: bool,
        slots: float,
        as_if_cold: bool = True,
    ) -> "SearchRecord":
        """Calls the core. `as_if_cold`: if the depth is limited, only proven entries of earlier
        searches are used."""
        return self.core.search(
            board,
            DEEPEST if limit.depth is None else limit.depth,
            UNLIMITED if limit.nodes is None else limit.nodes,
            0.0 if limit.time is None else limit.time,
            min(multipv, len(numbers)),
            numbers,
            on_record,
            self.threads,
            self.evaluation,
            self.selective,
            reduce,
            slots,
            as_if_cold and limit.depth is not None,
        )

    def _search(
        self,
        board: Board,
        limit: Limit,
        multipv: int,
        numbers: list[int],
        on_info: Callable[[Result], None] | None,
        reduce: bool,
        slots: float,
        as_if_cold: bool = True,
    ) -> Result:
        inform = self._after_depth(board, limit, on_info)
        record = self.core_search(board, limit, multipv, numbers, inform, reduce, slots, as_if_cold)
        self.result = self._result(record)
        score = self.result.score
        if score.win_in is not None:
            after = board.copy()
            after.push(self.result.line[0])
            self._lost = after, score.win_in - 1
        elif score.loss_in is not None and len(numbers) == len(board.legal_moves):
            self._lost = board, score.loss_in
        if record["raised"] is not None:
            raise record["raised"]
        return self.result

    def _after_depth(
        self, board: Board, limit: Limit, on_info: Callable[[Result], None] | None
    ) -> "Callable[[SearchRecord], None] | None":
        """What to call after each depth: it informs the caller and ends the search when its soft
        time limit is reached."""
        if limit.soft_time is None:
            return None if on_info is None else lambda record: on_info(self._result(record))
        soft = SoftLimit(limit.soft_time if len(board.legal_moves) > 1 else 0.0)

        def after(record: "SearchRecord") -> None:
            if on_info is not None:
                on_info(self._result(record))
            _, moves = record["lines"][0]
            if soft.reached(moves[0]):
                self.core.stop()

        return after

    def _plies_to_win(self, board: Board) -> int | None:
        """An upper bound of the plies to a win, if the position before the opponent's last move is
        known to be lost."""
        if self._lost is None or not board.moves:
            return None
        before = board.copy()
        before.pop()
        return self._lost[1] - 1 if before == self._lost[0] else None

    def _result(self, record: "SearchRecord") -> Result:
        lines = lines_of(record)
        return Result(
            move=lines[0].moves[0],
            score=lines[0].score,
            proven=lines[0].score.value is not None or record["complete"],
            depth=record["depth"],
            selective_depth=record["selective_depth"],
            line=lines[0].moves,
            lines=lines,
            nodes=record["nodes"],
            terminal=record["terminal"],
            horizon=record["horizon"],
            table_hits=record["table_hits"],
            table_fill=self.core.fill(),
            seconds=record["seconds"],
        )

    def _over(self, board: Board) -> Result:
        score = Score.of_outcome(board.outcome_value())
        return Result(None, score, True, 0, 0, [], [], 0, 0, 0, 0, 0.0, 0.0)

    # --- solving ---------------------------------------------------------------------------------

    @cached_property
    def solver(self) -> Solver:
        """The exact solver of the game, created on first use."""
        return make_solver(self.game, threads=self.threads, **self.options)

    def has_own_solver(self, board: Board) -> bool:
        """Whether the game has its own solver, and it supports the options of the board."""
        found = solver_class(self.game)
        return found is not None and found.covers(board.options)

    def _may_solve(self, board: Board, limit: Limit) -> bool:
        """Whether the game has its own solver, and the limit is large enough to use it."""
        found = solver_class(self.game)
        return (
            self.uses_solver
            and found is not None
            and self.has_own_solver(board)
            and (found.worth_asking(board, limit) or self._in_book(board))
        )

    def _in_book(self, board: Board) -> bool:
        """Whether the solver has been made and has an opening book with the position."""
        return "solver" in self.__dict__ and self.solver.in_book(board)

    def _solve_within(self, board: Board, limit: Limit, budget: Budget) -> Proven | None:
        """Asks the solver; None if it finds no proof."""
        solution = self.solver.try_within(board, limit)
        budget.spend(solution.nodes)
        if not solution.proven or solution.move is None:
            return None
        return self.remember(board, solution)

    def remember(self, board: Board, solution: Solution) -> Proven:
        """Stores a proven solution of a running game. A limit may have left no time for a move."""
        line = [] if solution.move is None else [solution.move]
        found = Proven(solution, line, not self._leaves_choice(solution))
        self._proven.add(board, found)
        return found

    def recall(self, board: Board) -> Proven | None:
        """What the engine has proven about a position, for a search. A full-width search of limited
        depth has a value of its own."""
        return self._proven.find(board) if self.selective else None

    def note(
        self,
        board: Board,
        score: Score,
        line: list[Move],
        final: bool = False,
        best: list[Move] | None = None,
    ) -> None:
        """Stores a score that a search has proven. It is not `final` if a deeper search may find a
        quicker win."""
        solution = proven_solution(score, best or line[:1])
        self._proven.add(board, Proven(solution, line, final))

    def _leaves_choice(self, solution: Solution) -> bool:
        """Whether moves that the solver finds equal may differ in practical chances."""
        if solution.value == "draw":
            return len(solution.best) > 1
        exact = self.solver.exact_plies and solution.plies is not None
        return solution.value == "loss" and not exact

    def solve(
        self,
        board: Board,
        limit: Limit | None = None,
        *,
        nodes: int | None = None,
        time: float | None = None,
        on_info: Inform = None,
        **settings: Any,
    ) -> Solution:
        """The true value of a position with its best moves.

        Other settings are passed to the game's solver, such as `weak=True` for connect4.

        >>> Engine("tictactoe").solve(Board("tictactoe")).verdict()
        'draw'
        """
        self._check(board)
        board = board.copy()
        found = self.solver.solve(board, limit, nodes=nodes, time=time, on_info=on_info, **settings)
        known = self._proven.find(board)
        if not found.proven and known is not None:
            return known.solution._replace(
                nodes=found.nodes, seconds=found.seconds, details=found.details
            )
        if found.proven and not board.is_game_over():
            self.remember(board, found)
        return found

    def solve_many(self, positions: Iterable[Board | str], **settings: Any) -> Any:
        """The scores of many positions in one call (connect4 only).

        >>> Engine("connect4").solve_many(["4455", "444444"])
        [18, 1]
        """
        if isinstance(positions, str | Board):
            raise TypeError(f"positions={positions!r}: expected a list of boards or texts of moves")
        self._check_open()
        return self.solver.solve_many(positions, **settings)

    def threats(self, board: Board) -> list[Move] | None:
        """A winning sequence of threats for the side to move (qubic only): its move, the forced
        reply, its move and so on; the last move makes two threats. None if there is none."""
        self._check(board)
        return self.solver.threats(board)

    def evaluate(self, board: Board) -> int:
        """The static evaluation of a running game, for the side to move."""
        self._check(board)
        return self.core.evaluate(board, self.evaluation)

    # --- the engine as a resource ----------------------------------------------------------------

    def stop(self) -> None:
        """Ends a call that is running in another thread; it returns what it has found."""
        self.stopped = True
        self.core.stop()
        if "solver" in self.__dict__:
            self.solver.stop()

    def clear(self) -> None:
        """Empties the tables and forgets what is proven."""
        self._lost = None
        self._proven.clear()
        self.core.clear()
        if "solver" in self.__dict__:
            self.solver.clear()

    def resize(self, hash: int) -> None:
        """Allocates a new table of `hash` MiB; keeps the old one if there is not enough memory."""
        self._check_open()
        self.core.resize(hash)

    def close(self) -> None:
        """Ends a running call and frees the tables; the engine cannot be used afterwards."""
        self._closed = True
        self.stop()
        self.core.resize(1)
        self.__dict__.pop("solver", None)

    def __enter__(self) -> "Self":
        self._check_open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        given = {"hash": self.core.hash, "threads": self.threads, **self.options}
        settings = ", ".join(f"{name}={value!r}" for name, value in given.items())
        return f"Engine({self.game!r}, {settings})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("an Engine cannot be copied or pickled: make another one")


def with_proof(board: Board, found: Result, known: Proven) -> Result:
    """The result of a search of a proven position. A search for a quicker win may not even find the
    win; otherwise, the search has chosen among equal moves."""
    score = known.solution.score
    if known.solution.value == "win":
        return found if found.score >= score else result_of(board, known)
    if found.score.value is None:
        return found._replace(score=score, proven=True, lines=[Line(score, found.line)])
    return found


WHOLE_POSITION = ("checkpoint",)
"""Solver settings that apply to a whole position, not to its single moves."""


def make_solver(game: str, hash: int | None = None, threads: int = 1, **options: Any) -> Solver:
    """The game's own solver; the engine if there is none, or if it does not support the options."""
    check_threads(threads)
    found = solver_class(game)
    given: dict[str, Any] = (
        {"threads": threads} if hash is None else {"hash": hash, "threads": threads}
    )
    if found is None or not found.covers(board_class(game)(**options).options):
        engine = Engine(game, **given, solver=False, **options)
        return EngineSolver(engine, board_class(game)(**options))
    return found(**given, **options)
