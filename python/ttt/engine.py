"""Engine: the search of a game with its limits, results and settings in plain words."""

from collections.abc import Callable, Iterable
from functools import cached_property
from time import perf_counter
from typing import Any

from ttt.board import Board, board_class
from ttt.limits import DEEPEST, UNLIMITED, check_limits, check_threads
from ttt.score import DECIDED, WIN
from ttt.search.evaluations import evaluation_number
from ttt.search.result import Line, Result
from ttt.solvers.base import Solution, Solver, solver_class
from ttt_core.errors import IllegalMove
from ttt_core.move import Move

PATIENCE = 8
"""How far a limit of nodes is stretched to find a win again that was proven before."""
GLANCE = 1_000
"""Nodes of a search before the solver is asked."""
BRISK = 10_000_000
"""Slots of the table for each second of a search and thread."""


class Engine:
    """A search for one game: `Engine("nineboard", hash=64, threads=1, full="draw")`.

    The table is kept between searches. An engine serves one search at a time; a second one from
    another thread waits. `selective=False` gives exactly the value of minimax at the same depth.
    Games with an exact solver use it where a search without `depth`, `moves` and `multipv` can
    finish it within half of its limits; `solver=False` always searches. Of moves that the solver
    finds equal (several that draw; all, where a game is lost and it cannot tell how soon at best
    play) the search still chooses, as the other side may err.
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
        **options: Any,
    ) -> None:
        kind = board_class(game)
        self.game = game
        self.core = kind.engine_type(kind.make_ruleset(**options), hash)
        check_threads(threads)
        self.threads = threads
        self.options = options
        self.uses_solver = solver and selective
        self.evaluation = evaluation_number(game, evaluation)
        self.selective = selective
        self.reduce = reduce
        self.result: Result | None = None
        """Of the latest search, also when Ctrl-C ended it."""
        self._won: tuple[Board, int] | None = None
        """The position after the move of the latest proven win, and the plies to it from there."""

    def search(
        self,
        board: Board,
        depth: int | None = None,
        nodes: int | None = None,
        time: float | None = None,
        multipv: int = 1,
        moves: Iterable[str] | None = None,
        on_info: Callable[[Result], None] | None = None,
    ) -> Result:
        """Searches until the result is proven or a limit is reached: plies, nodes, seconds.

        `multipv` asks for so many best lines, `moves` restricts the first move, `on_info` is called
        after each finished depth. Ctrl-C raises KeyboardInterrupt and leaves `result`. After a
        reply to a win that it has proven it looks for that win alone, if need be for eight times
        the nodes (it is quick while the table has it), but never for more than the time, unless
        `depth`, `multipv` or `moves` is given.
        """
        self._check(board)
        board = board.copy()  # it may move while it is searched
        check_limits(depth, nodes, time)
        if multipv < 1:
            raise ValueError(f"multipv={multipv}: at least 1")
        legal = board.legal_moves
        chosen = legal if moves is None else [board.parse_move(move) for move in moves]
        for move in chosen:
            if move not in legal:
                raise IllegalMove(board.why_illegal(move))
        if moves is not None and not chosen and legal:
            raise ValueError("moves: at least one")
        if not legal:
            self.result = self._over(board)
            return self.result
        numbers = [move.number for move in dict.fromkeys(chosen)]
        room = table_room(nodes, time, self.threads)
        known: int | None = None
        half = None if nodes is None else nodes // 2 + 1, None if time is None else time / 2
        if depth is None and multipv == 1 and moves is None and self._may_solve(board, *half):
            began = perf_counter()
            self._search(board, None, GLANCE, None, 1, numbers, None, self.reduce, room)
            solution = self.solver.try_within(board, *half)
            if solution.value != "unknown" and solution.move is not None:
                self.result = result_of(board, solution)
                if nodes is time is None or not self._leaves_choice(solution):
                    if on_info is not None:
                        on_info(self.result)
                    return self.result
                known = self.result.score
                if solution.value == "draw":
                    numbers = [move.number for move in solution.best]
            if nodes is not None:
                nodes = max(nodes - solution.nodes, 1)
            time = None if time is None else max(time - (perf_counter() - began), 0.001)
        reduce = self.reduce
        if depth is None and multipv == 1 and moves is None:
            depth = self._plies_to_win(board)
            if depth is not None:
                reduce = False
                nodes = None if nodes is None else min(PATIENCE * nodes, UNLIMITED - 1)
        tell = on_info if known is None else None
        found = self._search(board, depth, nodes, time, multipv, numbers, tell, reduce, room)
        if known is not None and abs(found.score) < DECIDED:
            found = found._replace(score=known, proven=True, lines=[Line(known, found.line)])
            self.result = found
        if known is not None and on_info is not None:
            on_info(found)
        return found

    def _check(self, board: Board) -> None:
        """Refuses what is no board of this game."""
        if not isinstance(board, Board):
            raise TypeError(f"a board is a ttt.Board, not {type(board).__name__}")
        if board.game != self.game:
            raise ValueError(f"the engine plays {self.game}, the board is {board.game}")

    def _search(
        self,
        board: Board,
        depth: int | None,
        nodes: int | None,
        time: float | None,
        multipv: int,
        numbers: list[int],
        on_info: Callable[[Result], None] | None,
        reduce: bool,
        room: float,
    ) -> Result:
        record = self.core.search(
            board,
            DEEPEST if depth is None else min(depth, DEEPEST),
            UNLIMITED if nodes is None else nodes,
            0.0 if time is None else time,
            min(multipv, len(numbers)),
            numbers,
            None if on_info is None else lambda record: on_info(self._result(record)),
            self.threads,
            self.evaluation,
            self.selective,
            reduce,
            room,
        )
        self.result = self._result(record)
        if self.result.score >= DECIDED:
            after = board.copy()
            after.push(self.result.line[0])
            self._won = after, WIN - self.result.score - 1
        if record["raised"] is not None:
            raise record["raised"]
        return self.result

    def _plies_to_win(self, board: Board) -> int | None:
        """The plies that a win takes at most that was proven before the other side's last move."""
        if self._won is None or not board.moves:
            return None
        before = board.copy()
        before.pop()
        return self._won[1] - 1 if before == self._won[0] else None

    @cached_property
    def solver(self) -> Solver:
        """The exact solver of the game; made when it is first asked for."""
        return make_solver(self.game, threads=self.threads, **self.options)

    def _may_solve(self, board: Board, nodes: int | None, time: float | None) -> bool:
        """Whether the game has a solver of its own, and it is worth asking within these limits."""
        found = solver_class(self.game)
        return (
            self.uses_solver
            and found is not None
            and found.covers(board.options)
            and found.worth_asking(board, nodes, time)
        )

    def _leaves_choice(self, solution: Solution) -> bool:
        """Whether the solver found moves equal that may differ in the chances they give."""
        if solution.value == "draw":
            return len(solution.best) > 1
        exact = self.solver.exact_plies and solution.plies is not None
        return solution.value == "loss" and not exact

    def solve(self, board: Board, **settings: Any) -> Solution:
        """The true value of a position with its best moves; limits are `nodes` and `time`, other
        settings the game's solver's own (`weak=True` and `all_moves=True` of connect4)."""
        self._check(board)
        return self.solver.solve(board, **settings)

    def solve_moves(self, board: Board, **settings: Any) -> dict[Move, Any]:
        """The score of every move for the side to move, where the game's solver tells it."""
        moves: dict[Move, Any] = self.solve(board, all_moves=True, **settings).details["moves"]
        return moves

    def solve_many(self, positions: Iterable[Board | str], **settings: Any) -> Any:
        """The scores of many positions in one call, where the game's solver offers it."""
        if not hasattr(self.solver, "solve_many"):
            raise ValueError(f"{self.game} with these options is solved one position at a time")
        return self.solver.solve_many(positions, **settings)

    def evaluate(self, board: Board) -> int:
        """What the evaluation says of a running game at a glance, for the side to move."""
        return self.core.evaluate(board, self.evaluation)

    def threats(self, board: Board) -> list[Move] | None:
        """The chain of threats by which the side to move wins, exact: its move, the only reply, its
        move and so on; the last of its moves has two replies. None if there is no such chain."""
        self._check(board)
        return self.solver.threats(board)

    def stop(self) -> None:
        """Ends a search that runs in another thread."""
        self.core.stop()
        if "solver" in self.__dict__:
            self.solver.stop()

    def clear(self) -> None:
        """Empties the table."""
        self._won = None
        self.core.clear()
        if "solver" in self.__dict__:
            self.solver.clear()

    def resize(self, hash: int) -> None:
        """A new table of so many MiB; the old one stays if that cannot be had."""
        self.core.resize(hash)

    def _result(self, record: dict[str, Any]) -> Result:
        lines = [Line(score, moves) for score, moves in record["lines"]]
        score = lines[0].score
        return Result(
            move=lines[0].moves[0],
            score=score,
            proven=abs(score) >= DECIDED or record["complete"],
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
        score = WIN * (board.result() or 0)
        return Result(None, score, True, 0, 0, [], [], 0, 0, 0, 0, 0.0, 0.0)


def result_of(board: Board, solution: Solution) -> Result:
    """A solution as the record of a search."""
    assert solution.move is not None
    left = len(board.marks) - board.ply
    score = DECIDED if solution.plies is None else WIN - solution.plies
    score *= {"win": 1, "draw": 0, "loss": -1}[solution.value]
    line = [solution.move]
    return Result(
        move=solution.move,
        score=score,
        proven=True,
        depth=left,
        selective_depth=left,
        line=line,
        lines=[Line(score, line)],
        nodes=solution.nodes,
        terminal=0,
        horizon=0,
        table_hits=0,
        table_fill=0.0,
        seconds=solution.seconds,
    )


def table_room(nodes: int | None, time: float | None, threads: int) -> float:
    """The slots of the table that searches with these limits can put to use."""
    return min(
        float(UNLIMITED) if nodes is None else 2.0 * nodes,
        float(UNLIMITED) if time is None else BRISK * time * threads,
    )


class EngineSolver(Solver):
    """The engine's search, to the end."""

    def __init__(self, game: str, hash: int = 64, threads: int = 1, **options: Any) -> None:
        self.engine = Engine(game, hash=hash, threads=threads, solver=False, **options)

    def solve(
        self,
        board: Board,
        nodes: int | None = None,
        time: float | None = None,
        on_info: Callable[[Solution], None] | None = None,
        **settings: Any,
    ) -> Solution:
        def inform(result: Result) -> None:
            if on_info is not None:
                on_info(solution_of(result))

        return solution_of(self.engine.search(board, nodes=nodes, time=time, on_info=inform))

    def stop(self) -> None:
        self.engine.stop()

    def clear(self) -> None:
        self.engine.clear()


def solution_of(result: Result) -> Solution:
    """What the engine's result says as a solution."""
    value = "unknown"
    if result.proven:
        value = "draw" if not result.score else "win" if result.score > 0 else "loss"
    return Solution(
        value=value,
        score=None,
        plies=result.plies,
        move=result.move,
        best=[result.move] if result.proven and result.move else [],
        low=None,
        high=None,
        nodes=result.nodes,
        seconds=result.seconds,
        details={"depth": result.depth},
    )


def make_solver(game: str, hash: int | None = None, threads: int = 1, **options: Any) -> Solver:
    """The game's own solver or, if there is none that covers the options, the engine."""
    check_threads(threads)
    found = solver_class(game)
    given: dict[str, Any] = (
        {"threads": threads} if hash is None else {"hash": hash, "threads": threads}
    )
    if found is None or not found.covers(board_class(game)(**options).options):
        return EngineSolver(game, **given, **options)
    return found(**given, **options)
