"""The built-in players. Each is a class; its keyword arguments are the options of the player, and
its docstring is what `ttt players` prints."""

from collections.abc import Callable
from random import Random

from ttt.board import Board
from ttt.engine import Engine
from ttt.limits import Limit
from ttt.search.evaluations import evaluation_number
from ttt.search.minimax import minimax_search
from ttt.search.result import Interrupted, Result
from ttt_core.errors import Terminated


class BuiltinPlayer:
    """Base class of the built-in players."""

    latest = ""
    """A line about the latest move, for people."""
    result: Result | None = None
    """The latest search of a player that searches for wins and losses."""
    on_info: Callable[[Result], None] | None = None
    """Called by the engine after each finished depth."""

    def __init__(self, board: Board) -> None:
        """`board` gives the game and its options."""

    def new_game(self, seed: int) -> None:
        """Forgets the last game and seeds the random numbers."""

    def summary(self) -> str:
        """A line about the latest move; may be empty."""
        return self.latest

    def stop(self) -> None:
        """Ends a `choose` that is running in another thread; it returns the best move so far."""


class First(BuiltinPlayer):
    """plays the first legal move"""

    def choose(self, board: Board) -> str:
        return board.legal_moves[0]


class SeededPlayer(BuiltinPlayer):
    """A player with random numbers, seeded by its own seed and that of the game."""

    def __init__(self, board: Board, seed: int) -> None:
        self.seed = seed
        self.new_game(0)

    def new_game(self, seed: int) -> None:
        self.random = Random(f"{self.seed}/{seed}")


class SamplingPlayer(SeededPlayer):
    """Base class of the players that play random games."""

    def __init__(self, board: Board, seed: int) -> None:
        super().__init__(board, seed)
        self.sampler = board.sampler_type(board.ruleset)

    def stop(self) -> None:
        self.sampler.stop()


class RandomPlayer(SeededPlayer):
    """plays a random legal move"""

    def __init__(self, board: Board, *, seed: int = 0) -> None:
        super().__init__(board, seed)

    def choose(self, board: Board) -> str:
        return self.random.choice(board.legal_moves)


class MonteCarlo(SamplingPlayer):
    """flat Monte Carlo: plays random games after each move, takes the move with the best mean"""

    def __init__(
        self,
        board: Board,
        *,
        playouts: int | None = None,
        time: float | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(board, seed)
        self.playouts = 100 if playouts is None and time is None else playouts
        self.time = time

    def choose(self, board: Board) -> str:
        from ttt.search.mcts import montecarlo_search

        seed = self.random.getrandbits(63)
        found = montecarlo_search(board, self.playouts, self.time, seed, self.sampler)
        self.latest = (
            f"{found.games:,} random games, best mean {found.value:+.3f}, "
            f"{found.seconds * 1000:.0f} ms"
        )
        return found.move


class Mcts(SamplingPlayer):
    """Monte Carlo tree search (UCT)"""

    def __init__(
        self,
        board: Board,
        *,
        simulations: int | None = None,
        time: float | None = None,
        hash: int = 64,
        exploration: float = 1.0,
        seed: int = 0,
    ) -> None:
        super().__init__(board, seed)
        self.simulations = 10_000 if simulations is None and time is None else simulations
        self.time = time
        self.hash = hash
        self.exploration = exploration

    def choose(self, board: Board) -> str:
        from ttt.search.mcts import mcts_search

        seed = self.random.getrandbits(63)
        found = mcts_search(
            board, self.simulations, self.time, seed, self.hash, self.exploration, self.sampler
        )
        proof = " (proven)" if found.proven else ""
        self.latest = (
            f"{found.games:,} simulations, {found.nodes:,} nodes, "
            f"best mean {found.value:+.3f}{proof}, {found.seconds * 1000:.0f} ms"
        )
        return found.move


def describe_search(result: Result) -> str:
    """A line about a search: depth, nodes (terminal, horizon), value of the best move, time."""
    return (
        f"depth {result.depth}, {result.nodes:,} nodes ({result.terminal:,} terminal, "
        f"{result.horizon:,} horizon), best utility {result.verdict()}, "
        f"{result.seconds * 1000:.0f} ms"
    )


class TextbookPlayer(SeededPlayer):
    """Base class of the players that search by a textbook algorithm to a fixed depth."""

    algorithm = ""

    def __init__(
        self,
        board: Board,
        *,
        depth: int | str | None = None,
        eval: str = "default",
        nodes: int | None = None,
        time: float | None = None,
        ties: str = "first",
        seed: int = 0,
    ) -> None:
        super().__init__(board, seed)
        evaluation_number(board.game, eval)
        Limit(nodes=nodes, time=time)
        cells = len(board.marks)
        self.depth: int | str = (cells if cells <= 9 else 4) if depth is None else depth
        self.eval = eval
        self.nodes = nodes
        self.time = time
        self.ties = ties
        self.engine = board.engine_type(board.ruleset, 1)

    def stop(self) -> None:
        self.engine.stop()

    def choose(self, board: Board) -> str:
        found = minimax_search(
            board, self.algorithm, self.depth, self.eval, self.nodes, self.time, self.engine
        )
        self.latest = describe_search(found)
        self.result = found
        best = [line.moves[0] for line in found.lines if line.score == found.score]
        if not best:  # a limit ended the search before it finished the first move
            return board.legal_moves[0]
        if self.ties == "random":
            return self.random.choice(best)
        if self.ties == "centre":
            middle = (len(board.ruleset.moves) - 1) / 2
            return min(best, key=lambda move: abs(move.number - middle))
        return best[0]


class Minimax(TextbookPlayer):
    """minimax, without pruning"""

    algorithm = "minimax"


class AlphaBeta(TextbookPlayer):
    """alpha-beta, the textbook algorithm"""

    algorithm = "alphabeta"


ENGINE_SECONDS = 1.0
"""Per move, for an engine without limits."""


class EnginePlayer(BuiltinPlayer):
    """the engine; takes 1 second per move if no depth, nodes or time is given"""

    def __init__(
        self,
        board: Board,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        time: float | None = None,
        eval: str = "default",
        threads: int = 1,
        hash: int = 64,
    ) -> None:
        if isinstance(depth, str):
            raise ValueError(f"engine: depth={depth}: expected a number of plies")
        self.limit = Limit(depth=depth, nodes=nodes, time=time) or Limit(time=ENGINE_SECONDS)
        self.engine = Engine(
            board.game, hash=hash, threads=threads, evaluation=eval, **board.options
        )

    def new_game(self, seed: int) -> None:
        self.engine.clear()
        self.latest = ""
        self.result = None

    def choose(self, board: Board) -> str:
        self.engine.result = None
        try:
            result = self.engine.search(board, self.limit, on_info=self.on_info)
        except Terminated:
            raise
        except KeyboardInterrupt:
            found = self.engine.result
            raise Interrupted(None if found is None else found.move) from None
        assert result.move is not None  # the game is not over
        self.latest = describe_search(result)
        self.result = result
        return result.move

    def stop(self) -> None:
        self.engine.stop()


PLAYERS: dict[str, type[BuiltinPlayer]] = {
    "first": First,
    "random": RandomPlayer,
    "montecarlo": MonteCarlo,
    "mcts": Mcts,
    "minimax": Minimax,
    "alphabeta": AlphaBeta,
    "engine": EnginePlayer,
}
"""All built-in players by name: the only place to add one."""
