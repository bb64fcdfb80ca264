"""The Python interface of the compiled modules: every module of `ttt_core.games` has these classes.

For type checkers, editors and readers; the compiled classes do not inherit from it. Signatures and
records are kept in step by a test.
"""

# mypy: disable-error-code="empty-body"

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypedDict

from ttt_core.move import Move

if TYPE_CHECKING:
    from typing_extensions import Self

Side = Literal["x", "o"]


class SearchRecord(TypedDict):
    """What `Engine.search` returns, and passes to `on_info` after each finished depth."""

    lines: list[tuple[int, list[Move]]]
    """(score, moves), best first; scores as in `ttt.score`."""
    depth: int
    selective_depth: int
    complete: bool
    """Whether the search has reached the end of every variation."""
    nodes: int
    terminal: int
    horizon: int
    table_hits: int
    seconds: float
    raised: BaseException | None
    """What interrupted the search, for the caller to raise."""


class MinimaxRecord(TypedDict):
    """What `Engine.minimax` returns."""

    values: dict[Move, int]
    """The score of each move that was searched."""
    nodes: int
    terminal: int
    horizon: int
    seconds: float
    stopped: bool
    """Whether a limit ended the search."""
    raised: BaseException | None


class SampleRecord(TypedDict):
    """What `Sampler` returns."""

    moves: list[tuple[Move, int, int]]
    """(move, number of games, sum of their results): 1 a win, 0 a draw, -1 a loss."""
    games: int
    nodes: int
    proven: int | None
    """1, 0 or -1 if the result is proven."""
    seconds: float
    raised: BaseException | None


class Ruleset:
    """The rules of a game under one choice of options."""

    options: tuple[int, ...]
    moves: tuple[Move, ...]
    """All moves of the game, in the order of their numbers."""

    def __new__(
        cls,
        options: tuple[int, ...],
        names: Callable[[tuple[int, ...]], Iterable[Move]],
        load_weights: Callable[[], Any] | None = None,
    ) -> "Self":
        """`names(options)` gives the moves in the order of their numbers; `load_weights()`, called
        when an evaluation is first needed, returns the learned weights as 16-bit numbers."""

    def find(self, text: str) -> Move | None:
        """The move with a canonical text; None if there is none."""

    @property
    def symmetries(self) -> int:
        """The number of symmetries of the board, with the identity."""

    def image(self, symmetry: int, move: str) -> Move:
        """Where a symmetry sends a move."""


class Position:
    """A position with the moves that led to it."""

    @property
    def ruleset(self) -> Ruleset: ...

    @classmethod
    def make_ruleset(cls, **options: object) -> Ruleset:
        """The rules for options given by name."""

    def parse_move(self, text: object) -> Move:
        """The move that a text means, in any of its spellings, legal or not."""

    def why_illegal(self, move: Move) -> str:
        """Why a move cannot be played now."""

    def push(self, move: str) -> None:
        """Plays a move, given as a Move or as text.

        >>> board = Board("nineboard")
        >>> board.push("5 6")
        """

    def pop(self) -> Move:
        """Takes the last move back and returns it.

        >>> board = Board("tictactoe")
        >>> board.push("5")
        >>> board.pop()
        Move('5')
        """

    def peek(self) -> Move:
        """The last move."""

    @property
    def moves(self) -> list[Move]:
        """The moves played since the first position, in order."""

    @property
    def legal_moves(self) -> list[Move]:
        """The moves that can be played now; none when the game is over.

        >>> Board("connect4").legal_moves[:3]
        [Move('1'), Move('2'), Move('3')]
        """

    def is_legal(self, move: str) -> bool:
        """Whether a move, given as a Move or as text, can be played now."""

    def wins(self, side: Side | None = None) -> list[Move]:
        """The moves that would win at once for a side: "x", "o" or, by default, the side to move.

        The side to move and the board in force do not matter, but the move must be playable.

        >>> board = Board("connect4")
        >>> board.push_moves("44553")
        >>> board.wins("x")
        [Move('2'), Move('6')]
        """

    def safe_moves(self) -> list[Move]:
        """The legal moves after which the other side cannot win at once, or that win themselves."""

    def is_hopeless(self) -> bool:
        """Whether neither side can win any more."""

    @property
    def ply(self) -> int:
        """The number of marks on the board."""

    @property
    def turn(self) -> Side:
        """The side to move, "x" or "o"."""

    @property
    def key(self) -> int:
        """A 64-bit hash key: equal for equal positions of a game and its options."""

    def canonical_key(self) -> int:
        """The least key of the position's symmetric images."""

    def outcome_value(self) -> int | None:
        """1, 0 or -1 if the side to move has won, drawn or lost; None if it is running."""

    def __eq__(self, other: object) -> bool: ...

    def __hash__(self) -> int: ...

    def copy(self, *, stack: bool = True) -> "Self":
        """An independent board with the same position; without its history if not `stack`."""

    def reset(self) -> None:
        """Goes back to the first position of the game and forgets the history."""

    def record(self) -> bytes:
        """The history as bytes: the number of each move."""

    def replay(self, record: bytes) -> None:
        """Plays the moves of a record; raises IllegalMove at the first that cannot be played."""

    def is_from_start(self) -> bool:
        """Whether the history goes back to the first position of the game."""

    def root(self) -> "Self":
        """The position before the first move of the history."""

    def transform(self, symmetry: int) -> "Self":
        """The image of the position under a symmetry of the board; 0 is the identity."""

    def picture(self) -> tuple[str, int | str | None, str]:
        """(marks, board in force, owners): "x", "o" or "." for each cell in reading order; the
        board in force 0-8, "*" for any board, None for none; the owner of each board of
        ultimate."""

    def set_picture(self, marks: str, board: int | str | None = None, owners: str = "") -> None:
        """Sets the position from what `picture` returns; raises BadNotation if it is impossible."""

    def line_cells(self) -> list[int]:
        """The cells of the winning lines, by number in reading order; empty if nobody has won."""

    def perft(self, depth: int) -> int:
        """The number of move sequences of exactly `depth` plies.

        >>> Board("tictactoe").perft(5)
        15120
        """

    def count_leaves(self, depth: int) -> tuple[int, int]:
        """(perft, the number of its sequences that end with a winning move)."""

    def divide(self, depth: int) -> dict[Move, int]:
        """Perft of each move: {move: number of sequences that begin with it}."""

    def playout(self, seed: int = 0) -> "Self":
        """A copy of the board played to the end by uniformly random moves."""

    def playouts(self, games: int, seed: int = 0) -> dict[str, int]:
        """Random games from here: {"x": won, "o": won, "draw": drawn, "plies": total plies}."""


class Engine:
    """The search of one game under one choice of options, with its table; see `ttt.Engine`."""

    evaluations: ClassVar[tuple[str, ...]]
    ruleset: Ruleset
    hash: int

    def __new__(cls, ruleset: Ruleset, hash: int = 64) -> "Self": ...

    def resize(self, hash: int) -> None:
        """Replaces the table by an empty one of `hash` MiB; keeps the old one on failure."""

    def clear(self) -> None:
        """Empties the table."""

    def stop(self) -> None:
        """Ends a search that is running in another thread; it returns what it has found."""

    def fill(self) -> float:
        """The fraction of the table that the latest search has filled, estimated from a sample."""

    def evaluate(self, position: Position, evaluation: int) -> int:
        """The static evaluation of a running game, for the side to move."""

    def search(
        self,
        position: Position,
        depth: int,
        nodes: int,
        limit: float,
        lines: int,
        candidates: list[int],
        on_info: Callable[[SearchRecord], None] | None,
        threads: int,
        evaluation: int,
        selective: bool,
        reduce: bool,
        slots: float,
        as_if_cold: bool,
    ) -> SearchRecord:
        """Principal variation search; `ttt.Engine.search` explains the limits."""

    def minimax(
        self,
        position: Position,
        pruning: bool,
        depth: int,
        nodes: int,
        limit: float,
        evaluation: int,
    ) -> MinimaxRecord:
        """Minimax, or alpha-beta with `pruning`."""


class Batch:
    """Positions of one game; `ttt.batch.Batch` explains the arrays."""

    ruleset: Ruleset
    size: int

    def __new__(cls, ruleset: Ruleset, size: int) -> "Self": ...

    def put(self, i: int, position: Position) -> None:
        """Sets a position of the batch."""

    def get(self, i: int, position: Position) -> None:
        """Sets a board to a position of the batch, without history."""

    def step(self, chosen: Any) -> int:
        """Plays a move in every position; the first position whose move is illegal, or -1."""

    def reset(self, chosen: Any) -> None:
        """Sets some positions to the first one of the game."""

    def legal(self, found: Any) -> None: ...

    def draw(self, found: Any, seed: int) -> None:
        """Writes a random legal move for every position, -1 where the game is over."""

    def results(self, over: Any, winner: Any, turn: Any) -> None: ...

    def marks(self, found: Any, forces: Any) -> None: ...

    def keys(self, found: Any) -> None: ...

    def playouts(self, found: Any, games: int, seed: int) -> int:
        """Writes the sum of the results of random games; returns their plies."""


class Sampler:
    """Monte Carlo searches of one game under one choice of options; see `ttt.search.mcts`."""

    ruleset: Ruleset

    def __new__(cls, ruleset: Ruleset) -> "Self": ...

    def stop(self) -> None:
        """Ends a search that is running in another thread; it returns what it has found."""

    def montecarlo(
        self, position: Position, playouts: int, limit: float, seed: int
    ) -> SampleRecord:
        """Random games after each legal move."""

    def mcts(
        self,
        position: Position,
        simulations: int,
        limit: float,
        seed: int,
        hash: int,
        exploration: float,
    ) -> SampleRecord:
        """Monte Carlo tree search."""
