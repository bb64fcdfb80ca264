"""Board: a position of any game of the family, in python-chess's words.

The rules and all loops over positions live in the compiled core; a game's own class, in
`ttt.boards`, adds its name, its options, its move notation and its layout.
"""

from __future__ import annotations

from collections import namedtuple
from functools import lru_cache

from ttt.notation import RESULTS, Spelling, parse_moves, parse_options, position_text, read_position
from ttt.options import Option
from ttt.registry import board_class, games
from ttt_core.errors import BadNotation, shorten
from ttt_core.move import Move

TYPE_CHECKING = False  # see `ttt/__init__.py`
if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike
    from typing import Any, ClassVar

    from typing_extensions import Self

    from ttt.outcome import Outcome, Termination
    from ttt_core.interface import Batch as CoreBatch
    from ttt_core.interface import Engine as CoreEngine
    from ttt_core.interface import Position, Ruleset, Sampler, Side
else:
    Position = object

__all__ = ["Board", "Layout", "board_class", "games"]


class Layout(namedtuple("Layout", ("width", "height", "blocks", "across"), defaults=(1, 1))):
    """How the cells are arranged: blocks of `width` x `height` cells, `across` blocks in a row."""

    __slots__ = ()
    width: int
    height: int
    blocks: int
    across: int


@lru_cache(maxsize=256)
def _ruleset(cls: Any, options: tuple[int, ...]) -> Ruleset:
    def load_weights() -> Any:
        from ttt.storage.weights import load_shipped

        return load_shipped(cls.weights_name(options))

    found: Ruleset = cls.ruleset_type(options, cls.name_moves, load_weights)
    return found


class Board(Position):
    """A position with its history. `Board("nineboard", full="draw")` makes one of any game.

    >>> board = Board("connect4")
    >>> board.push_moves("4455")
    >>> board.turn, len(board.moves), board.is_game_over()
    ('x', 4, False)

    Boards compare and hash by position, not by history: do not play moves on a board that is a
    dictionary key. Some games add methods: see `help(Board("ultimate"))`.
    """

    __slots__ = ("__weakref__",)

    game: ClassVar[str]
    """The name of the game, as in `Board(name)`."""
    title: ClassVar[str]
    goal: ClassVar[str]
    choices: ClassVar[tuple[Option, ...]] = ()
    """The options of the game."""
    ruleset_type: ClassVar[type[Ruleset]]
    engine_type: ClassVar[type[CoreEngine]]
    batch_type: ClassVar[type[CoreBatch]]
    sampler_type: ClassVar[type[Sampler]]
    bench: ClassVar[tuple[int, tuple[str, ...]]]
    """The depth and the openings of `ttt bench`."""
    evaluation_scale: ClassVar[float] = 100.0
    """The default evaluation that means a log-odds of 1, roughly: a winning chance of 73%."""
    text_row: ClassVar[int]
    """Cells between two slashes of the position text; 0: the width of the layout."""

    def __init_subclass__(cls, core: Any = None, **settings: Any) -> None:
        """`core` is the compiled module of the game."""
        super().__init_subclass__(**settings)
        if core is not None:
            cls.ruleset_type = core.Ruleset
            cls.engine_type = core.Engine
            cls.batch_type = core.Batch
            cls.sampler_type = core.Sampler

    def __new__(cls, /, *args: Any, **options: Any) -> Self:
        if cls is Board:
            if len(args) != 1 or not isinstance(args[0], str):
                raise TypeError(f"expected the name of a game: {', '.join(games())}")
            if " " in args[0].strip():
                raise BadNotation("expected the name of a game; Board.parse(text) reads a position")
            return board_class(args[0])(**options)  # type: ignore[return-value]
        if not hasattr(cls, "ruleset_type"):
            raise TypeError(
                f"{cls.__name__} is not the board of a game: derive it from a game's own class,"
                " such as type(Board('tictactoe'))"
            )
        if args:
            raise TypeError(f"{cls.__name__} takes options by name only")
        return super().__new__(cls, **options)

    # --- what a game defines --------------------------------------------------------------------

    @classmethod
    def core_options(cls, options: tuple[int, ...]) -> tuple[int, ...]:
        """The options of the core for options of the game."""
        return options

    @classmethod
    def name_moves(cls, options: tuple[int, ...]) -> list[Move]:
        """The moves in the order of their numbers; `options` are the core's."""
        raise NotImplementedError

    @classmethod
    def weights_name(cls, options: tuple[int, ...]) -> str:
        """The name of the weights file in `ttt/data/`, if the game has a learned evaluation."""
        return cls.game

    @property
    def layout(self) -> Layout:
        """How the cells are arranged."""
        raise NotImplementedError

    @property
    def spelling(self) -> Spelling:
        """How a move is written."""
        raise NotImplementedError

    numbers_cells: ClassVar[bool] = False
    """Whether drawings number the free cells that can be played."""
    has_board_in_force: ClassVar[bool] = False
    headings_below: ClassVar[bool] = False
    """Whether drawings name the columns below the board."""
    block_labels: ClassVar[tuple[str, ...]] = ()
    """What drawings write above the blocks."""
    drops: ClassVar[bool] = False
    """Whether marks are discs that fall down their column."""
    stacked: ClassVar[bool] = False
    """Whether the blocks are the levels of a cube."""

    @property
    def row_labels(self) -> list[str]:
        """What drawings write beside the rows."""
        return []

    @property
    def column_labels(self) -> list[str]:
        """What drawings write above or below the columns."""
        return []

    @property
    def text_has_owners(self) -> bool:
        """Whether a position needs a field for the owners: the marks alone do not show them."""
        return False

    def last_cell(self) -> int | None:
        """The cell of the last move."""
        return self.peek().number if self.moves else None

    def move_at(self, cell: int) -> Move:
        """The move that a click on a cell means, legal or not."""
        return self.ruleset.moves[cell]

    def winning_lines(self) -> list[tuple[int, ...]]:
        """The lines of cells that win, for drawings that show them; empty if they do not."""
        return []

    def rules(self) -> str:
        """The rules for people, in at most three lines of at most 79 characters."""
        raise NotImplementedError

    # --- options ---------------------------------------------------------------------------------

    @classmethod
    def make_ruleset(cls, /, **options: object) -> Ruleset:
        """The rules for options given by name."""
        codes = tuple(
            choice.encode(options.pop(choice.name, choice.default)) for choice in cls.choices
        )
        if options:
            names = ", ".join(choice.name for choice in cls.choices)
            valid = f"choose from {names}" if names else "it has no options"
            given = shorten(next(iter(options)))
            raise BadNotation(f"{cls.game}: unknown option {given}; {valid}")
        kind: Any = cls  # a type is hashable, which its __hash__ for instances hides from mypy
        return _ruleset(kind, cls.core_options(codes))

    @classmethod
    def name_options(cls, options: tuple[int, ...]) -> dict[str, Any]:
        """The core's options by name."""
        return {
            choice.name: choice.decode(code)
            for choice, code in zip(cls.choices, options, strict=False)
        }

    @property
    def options(self) -> dict[str, Any]:
        """The options by name."""
        return self.name_options(self.ruleset.options)

    # --- moves -----------------------------------------------------------------------------------

    def parse_move(self, text: object) -> Move:
        """The move that a text means, in any of its spellings, legal or not.

        >>> Board("nineboard").parse_move("56")
        Move('5 6')
        """
        if not isinstance(text, str):
            raise TypeError(f"expected a Move or its text, not {type(text).__name__}")
        moves = parse_moves(self, text)
        if len(moves) != 1:
            raise BadNotation(f"{shorten(text)} is not a single move: {self.spelling.help}")
        return moves[0]

    def parse_reply(self, text: str) -> Move:
        """The move that a person means by a text typed in this position; some games accept shorter
        forms than `parse_move` does.

        >>> board = Board("nineboard")
        >>> board.push("5 6")
        >>> board.parse_reply("1")
        Move('6 1')
        """
        return self.parse_move(text)

    def parse_moves(self, text: str) -> list[Move]:
        """The moves that a text lists, with or without spaces or commas between them.

        >>> Board("connect4").parse_moves("445")
        [Move('4'), Move('4'), Move('5')]
        """
        return parse_moves(self, text)

    def push_moves(self, moves: str | Iterable[str]) -> None:
        """Plays all the moves of a text or a list, or none if one of them cannot be played.

        >>> board = Board("connect4")
        >>> board.push_moves("4455")
        """
        if isinstance(moves, str):
            moves = self.parse_moves(moves)
        elif hasattr(moves, "__iter__"):
            moves = [self.parse_move(move) for move in moves]
        else:
            raise TypeError(f"expected a text or a list of moves, not {type(moves).__name__}")
        played = 0
        try:
            for move in moves:
                self.push(move)
                played += 1
        finally:
            if played < len(moves):
                for _ in range(played):
                    self.pop()

    def why_illegal(self, move: Move) -> str:
        """Why a move cannot be played now."""
        if self.is_game_over():
            return f"{move} cannot be played: the game is over"
        return f"{move} cannot be played: {self.why_not_here(move)}"

    def why_not_here(self, move: Move) -> str:
        """Why a move cannot be played while the game is running."""
        return "that cell is taken"

    # --- positions -------------------------------------------------------------------------------

    @property
    def marks(self) -> str:
        """The cells in reading order: "x", "o" or ".".

        >>> board = Board("tictactoe")
        >>> board.push_moves("5 1")
        >>> board.marks
        'o...x....'
        """
        return self.picture()[0]

    def outcome(self) -> Outcome | None:
        """How the game ended; None while it is running.

        >>> board = Board("tictactoe")
        >>> board.push_moves("1 4 2 5 3")
        >>> board.outcome().winner
        'x'
        """
        value = self.outcome_value()
        if value is None:
            return None
        from ttt.outcome import Outcome, Termination

        other: Side = "o" if self.turn == "x" else "x"
        winner = None if value == 0 else self.turn if value > 0 else other
        line = tuple(self.line_cells())
        if winner is None:
            return Outcome(None, self.draw_reason(), ())
        return Outcome(winner, Termination.LINE if line else Termination.BOARDS, line)

    def result(self) -> str:
        """ "1-0" if x has won, "0-1" if o has, "1/2-1/2" for a draw, "*" while it is running."""
        value = self.outcome_value()
        if value is None:
            return "*"
        if value == 0:
            return RESULTS[None]
        return RESULTS["x" if (value > 0) == (self.turn == "x") else "o"]

    def draw_reason(self) -> Termination:
        """Why a drawn game ended."""
        from ttt.outcome import Termination

        return Termination.FULL

    def is_game_over(self) -> bool:
        """Whether the game is won or no move is left."""
        return self.outcome_value() is not None

    def symmetries(self) -> list[Self]:
        """The position under every symmetry of the board, itself first."""
        return [self.transform(i) for i in range(self.ruleset.symmetries)]

    def mirror(self) -> Self:
        """The position with left and right exchanged."""
        return self.transform(1) if self.layout.width > 1 else self.copy()

    def text(self) -> str:
        """The position as one line that `parse` reads back; `ttt.notation` describes it.

        >>> Board("tictactoe").text()
        'tictactoe .../.../... x'
        """
        return position_text(self)

    @classmethod
    def parse(cls, text: str) -> Self:
        """The board that `text()` wrote.

        >>> Board.parse("tictactoe x../.o./... x").legal_moves[0]
        Move('2')
        """
        if not isinstance(text, str):
            raise TypeError(f"expected a position as text, not {type(text).__name__}")
        import re

        fields = re.sub(
            r"/\s+", "/", text.lower()
        ).split()  # a long one may be broken after a slash
        if not fields:
            raise BadNotation("empty position: expected a text as board.text() writes it")
        name, _, given = fields[0].partition(":")
        found = board_class(name)
        if issubclass(cls, found):
            found = cls
        if not issubclass(found, cls):
            raise BadNotation(f"expected a position of {cls.game}, not of {name}")
        return read_position(found(**parse_options(given)), fields[1:])

    def save(self, path: str | PathLike[str], **headers: str) -> None:
        """Writes the game to a file that `load` and `ttt replay` read; see `ttt.game`.

        You can add headers: `board.save("game.txt", X="me", O="level-3")`.
        """
        from ttt.game import Game

        Game.from_board(self, **headers).save(path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """The board, with its history, that `save` wrote."""
        from ttt.game import Game

        board = Game.load(path).board()
        if not isinstance(board, cls):
            raise BadNotation(f"{path}: expected a game of {cls.game}, not of {board.game}")
        return board

    def __reduce__(self) -> tuple[Any, ...]:
        root = "" if self.is_from_start() else self.root().text()
        return _rebuild, (type(self), self.ruleset.options, root, self.record())

    # --- for people ------------------------------------------------------------------------------

    def status(self) -> str:
        """Who is to move, or how the game ended, in a few words."""
        outcome = self.outcome()
        if outcome is None:
            return f"{self.turn} to move{self.where()}"
        return f"{outcome}: {self.line_name(outcome.line)}" if outcome.line else str(outcome)

    def line_name(self, cells: Iterable[int]) -> str:
        """The name of a winning line: by default its cells."""
        return " ".join(self.cell_name(cell) for cell in cells)

    def where(self) -> str:
        """Where the side to move must play, such as " on board 5"; empty in most games."""
        return ""

    def cell_name(self, cell: int) -> str:
        """The name of a cell: by default the move that takes it."""
        return self.ruleset.moves[cell].replace(" ", "-")

    def __str__(self) -> str:
        from ttt.render.text import text

        return text(self)

    def __repr__(self) -> str:
        return f"Board.parse({self.text()!r})"

    def svg(self, size: float | None = None) -> str:
        """The board as an SVG picture, with the last move and a winning line marked; `size` is the
        longer side in pixels."""
        from ttt.render.svg import svg

        return svg(self, size)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in INTERNAL]


INTERNAL = frozenset(
    "__pyx_vtable__ batch_type bench block_labels cell_name choices column_labels core_options "  # noqa: SIM905
    "count_leaves draw_reason drops layout record replay ruleset spelling weights_name "
    "engine_type evaluation_scale has_board_in_force headings_below last_cell line_name "
    "make_ruleset move_at "
    "name_moves name_options numbers_cells row_labels ruleset_type sampler_type set_picture "
    "stacked text_has_owners text_row where why_not_here winning_lines".split()
)
"""Names that only the package itself needs: `dir(board)` leaves them out."""


@lru_cache(maxsize=64)
def _first(cls: Any, options: tuple[int, ...]) -> Any:
    return cls(**cls.name_options(options))


def _rebuild(cls: Any, options: tuple[int, ...], root: str, record: bytes) -> Board:
    board: Board = cls.parse(root) if root else _first(cls, options).copy()
    board.replay(record)
    return board
