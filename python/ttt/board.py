"""Board: a position of any game of the family, in python-chess's words.

The rules and all loops over positions live in the compiled core; a game's own class, in
`ttt.boards`, adds its name, its options, how its moves are written and how its cells lie.
"""

import re
from functools import lru_cache
from importlib import import_module
from os import listdir
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from ttt.options import Option
from ttt_core.errors import BadNotation, shorten
from ttt_core.move import Move

if TYPE_CHECKING:
    from typing_extensions import Self

    from ttt_core.position import Batch as CoreBatch
    from ttt_core.position import Engine as CoreEngine
    from ttt_core.position import Position, Ruleset, Sampler, Side
else:
    Position = object


DRAWN_BY = {"full": "no move is left", "pointed": "the last move points to a full board"}


SEPARATORS = r"[\s,;]*"


class Outcome(NamedTuple):
    """How a game ended."""

    winner: "Side | None"
    """"x", "o", or None for a draw."""
    termination: str
    """"line"; "full" (no move is left); "boards" (more boards won); "pointed" (to a full board)."""
    line: tuple[int, ...]
    """The cells of the winning lines, as indexes into `Board.marks`."""

    def __str__(self) -> str:
        if self.winner is None:
            return "a draw: " + DRAWN_BY[self.termination]
        return f"{self.winner} wins" + (": more boards" if self.termination == "boards" else "")


class Layout(NamedTuple):
    """How the cells lie: blocks of `width` x `height` cells, `across` of them in a row."""

    width: int
    height: int
    blocks: int = 1
    across: int = 1


class Spelling(NamedTuple):
    """How a move is written: its groups, put together with `glue`, are the canonical text."""

    pattern: str
    help: str
    glue: str = ""


@lru_cache(maxsize=1)
def games() -> tuple[str, ...]:
    """The names of all games: one module of `ttt.boards` each."""
    from ttt import boards

    files = (name for folder in boards.__path__ for name in listdir(folder))
    return tuple(sorted(name[:-3] for name in files if name[0] != "_" and name.endswith(".py")))


@lru_cache(maxsize=64)
def board_class(game: str) -> "type[Board]":
    """The class of a game's boards."""
    if not (game.isidentifier() and game[0] != "_" and game in games()):
        raise BadNotation(f"{shorten(game)} is no game: {', '.join(games())}")
    found: type[Board] = import_module(f"ttt.boards.{game}").BOARD
    return found


@lru_cache(maxsize=256)
def _ruleset(game: str, options: tuple[int, ...]) -> "Ruleset":
    cls = board_class(game)

    def load_weights() -> Any:
        from ttt.storage.weights import load_shipped

        return load_shipped(cls.weights_name(options))

    return cls.ruleset_type(options, cls.name_moves, load_weights)


class Board(Position):
    """A position with its history. `Board("nineboard", full="draw")` makes one of any game.

    Boards compare and hash by position, not by history: a board used as a key must not move.
    """

    game: ClassVar[str]
    title: ClassVar[str]
    goal: ClassVar[str]
    choices: ClassVar[tuple[Option, ...]] = ()
    ruleset_type: "ClassVar[type[Ruleset]]"
    engine_type: "ClassVar[type[CoreEngine]]"
    batch_type: "ClassVar[type[CoreBatch]]"
    sampler_type: "ClassVar[type[Sampler]]"
    bench: ClassVar[tuple[int, tuple[str, ...]]]
    """A depth and openings that `ttt bench` searches."""
    text_row: ClassVar[int]
    """Cells between two slashes of the position text; 0: the width of the layout."""

    def __new__(cls, /, *args: Any, **options: Any) -> "Self":
        if cls is Board:
            if len(args) != 1 or not isinstance(args[0], str):
                raise TypeError(f"Board takes the name of a game: {', '.join(games())}")
            return board_class(args[0])(**options)  # type: ignore[return-value]
        if args:
            raise TypeError(f"{cls.__name__} takes options by name only")
        return super().__new__(cls, **options)

    # --- what a game says about itself -----------------------------------------------------------

    @classmethod
    def core_options(cls, options: tuple[int, ...]) -> tuple[int, ...]:
        """What the core takes for the game's own options."""
        return options

    @classmethod
    def name_moves(cls, options: tuple[int, ...]) -> list[Move]:
        """The moves in the order of their numbers; `options` are the core's."""
        raise NotImplementedError

    @classmethod
    def weights_name(cls, options: tuple[int, ...]) -> str:
        """The weights of its learned evaluation, if the game has one: a file of `ttt/data/`."""
        return cls.game

    @property
    def layout(self) -> Layout:
        """How the cells lie."""
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

    @property
    def row_labels(self) -> list[str]:
        """What drawings write beside the rows."""
        return []

    @property
    def column_labels(self) -> list[str]:
        """What drawings write above or below the columns."""
        return []

    @property
    def tells_owners(self) -> bool:
        """Whether the marks alone do not tell who owns which board."""
        return False

    def last_cell(self) -> int | None:
        """The cell of the last move."""
        return self.peek().number if self.moves else None

    # --- options ---------------------------------------------------------------------------------

    @classmethod
    def make_ruleset(cls, /, **options: object) -> "Ruleset":
        codes = tuple(
            choice.encode(options.pop(choice.name, choice.default)) for choice in cls.choices
        )
        if options:
            names = ", ".join(choice.name for choice in cls.choices) or "none"
            given = shorten(next(iter(options)))
            raise BadNotation(f"{cls.game} has no option {given}; it has {names}")
        return _ruleset(cls.game, cls.core_options(codes))

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
        """The move that a text means, by any of its spellings, legal or not."""
        if not isinstance(text, str):
            raise TypeError(f"a move is a Move or its text, not {type(text).__name__}")
        moves = self.parse_moves(text)
        if len(moves) != 1:
            raise BadNotation(f"{shorten(text)} is not one move: {self.spelling.help}")
        return moves[0]

    def parse_moves(self, text: str) -> list[Move]:
        """The moves that a text lists, with or without spaces or commas between them."""
        if not isinstance(text, str):
            raise TypeError(f"moves are a text, not {type(text).__name__}")
        spelling = self.spelling
        pattern = re.compile(spelling.pattern, re.IGNORECASE | re.ASCII)
        found = []
        between = re.compile(SEPARATORS)
        at = between.match(text, 0).end()  # type: ignore[union-attr]
        while at < len(text):
            match = pattern.match(text, at)
            move = self.ruleset.find(spelling.glue.join(match.groups()).lower()) if match else None
            if match is None or move is None:
                word = re.split(r"\s", text[at : at + 100], maxsplit=1)[0]
                raise BadNotation(f"{shorten(word)} is no move: {spelling.help}")
            found.append(move)
            at = between.match(text, match.end()).end()  # type: ignore[union-attr]
        return found

    def push_moves(self, text: str) -> None:
        """Plays all the moves of a text, or none of them if one cannot be played."""
        moves = self.parse_moves(text)
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
        if self.is_game_over():
            return f"{move} cannot be played: the game is over"
        return f"{move} cannot be played: {self.why_not_here(move)}"

    def why_not_here(self, move: Move) -> str:
        """Why a move cannot be played in a running game."""
        return "that cell is taken"

    # --- positions -------------------------------------------------------------------------------

    @property
    def marks(self) -> str:
        """The cells in reading order: "x", "o" or "."."""
        return self.picture()[0]

    def outcome(self) -> Outcome | None:
        """How the game ended; None while it runs."""
        result = self.result()
        if result is None:
            return None
        other: Side = "o" if self.turn == "x" else "x"
        winner = None if result == 0 else self.turn if result > 0 else other
        line = tuple(self.line_cells())
        if winner is None:
            return Outcome(None, self.draw_reason(), ())
        return Outcome(winner, "line" if line else "boards", line)

    def draw_reason(self) -> str:
        """The termination of a drawn game."""
        return "full"

    def is_game_over(self) -> bool:
        """Whether the game is won or no move is left."""
        return self.result() is not None

    def symmetries(self) -> "list[Self]":
        """The position under every symmetry of the board, itself first."""
        return [self.transform(i) for i in range(self.ruleset.symmetries)]

    def mirror(self) -> "Self":
        """The position with left and right exchanged."""
        return self.transform(1) if self.layout.width > 1 else self.copy()

    def text(self) -> str:
        """The position as one line that `parse` reads back: game, marks, side to move, and where
        the game has one the board in force ("*" any, "-" none)."""
        marks, board, owners = self.picture()
        given = [
            f"{choice.name}={self.options[choice.name]}"
            for choice in self.choices
            if self.options[choice.name] != choice.default
        ]
        row = self.text_row or self.layout.width
        parts = [
            self.game + (":" + ",".join(given) if given else ""),
            "/".join(marks[i : i + row] for i in range(0, len(marks), row)),
            self.turn,
        ]
        if self.has_board_in_force:
            parts.append("-" if board is None else "*" if board == "*" else str(int(board) + 1))
        if owners and self.tells_owners:
            parts.append(owners)
        return " ".join(parts)

    @classmethod
    def parse(cls, text: str) -> "Self":
        """The board that `text()` wrote; raises BadNotation and says what is wrong."""
        if not isinstance(text, str):
            raise TypeError(f"a position is a text, not {type(text).__name__}")
        fields = text.lower().split()
        if not fields:
            raise BadNotation("an empty text is no position")
        name, _, given = fields[0].partition(":")
        found = board_class(name)
        if issubclass(cls, found):
            found = cls
        if not issubclass(found, cls):
            raise BadNotation(f"{name!r} is another game than {cls.game}")
        return found(**parse_options(given)).from_fields(fields[1:])

    def from_fields(self, fields: list[str]) -> "Self":
        """A board of the same game and options from the fields of a text after the game."""
        wanted = ["marks", "side to move"]
        if self.has_board_in_force:
            wanted.append("board in force (1-9, * or -)")
        if self.tells_owners:
            wanted.append("owners of the boards")
        if len(fields) != len(wanted):
            raise BadNotation(
                f"{len(fields)} fields after the game, not {len(wanted)}: {', '.join(wanted)}"
            )
        row = self.text_row or self.layout.width
        rows = fields[0].split("/")
        if [len(part) for part in rows] != [row] * (len(self.marks) // row):
            raise BadNotation(
                f"the marks are {len(self.marks) // row} groups of {row} between slashes"
            )
        board: int | str | None = None
        if self.has_board_in_force and fields[2] != "-":
            if fields[2] not in "*123456789" or len(fields[2]) != 1:
                raise BadNotation(f"{shorten(fields[2])} is no board: 1-9, * for any or - for none")
            board = "*" if fields[2] == "*" else int(fields[2]) - 1
        fresh = self.root()
        fresh.set_picture("".join(rows), board, fields[-1] if self.tells_owners else "")
        if fields[1] != fresh.turn:
            raise BadNotation(f"{shorten(fields[1])} to move, but by the marks it is {fresh.turn}")
        return fresh

    def __reduce__(self) -> tuple[Any, ...]:
        root = "" if self.is_from_start() else self.root().text()
        return _rebuild, (type(self), self.ruleset.options, root, self.record())

    # --- for people ------------------------------------------------------------------------------

    def status(self) -> str:
        """Who is to move, or how the game ended, in a few words."""
        outcome = self.outcome()
        if outcome is None:
            return f"{self.turn} to move"
        cells = " ".join(self.cell_name(cell) for cell in outcome.line)
        return f"{outcome}: {cells}" if cells else str(outcome)

    def cell_name(self, cell: int) -> str:
        """A cell in words: as the move that takes it, where a move is a cell."""
        return self.ruleset.moves[cell].replace(" ", "-")

    def __str__(self) -> str:
        from ttt.render.text import text

        return text(self)

    def __repr__(self) -> str:
        return f"Board.parse({self.text()!r})"

    def svg(self) -> str:
        """The board as a picture (SVG), the last move and a winning line marked."""
        from ttt.render.svg import svg

        return svg(self)

    _repr_svg_ = svg


def parse_options(text: str) -> dict[str, str]:
    """The options of a text such as "full=draw" or "m=4,n=4,k=3"."""
    found: dict[str, str] = {}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if not (name and equals and value):
            raise BadNotation(f"{shorten(part)} is no option: write name=value")
        if name in found:
            raise BadNotation(f"option {shorten(name)} is given twice")
        found[name] = value
    return found


@lru_cache(maxsize=64)
def _first(cls: Any, options: tuple[int, ...]) -> Any:
    return cls(**cls.name_options(options))


def _rebuild(cls: Any, options: tuple[int, ...], root: str, record: bytes) -> Board:
    board: Board = cls.parse(root) if root else _first(cls, options).copy()
    board.replay(record)
    return board
