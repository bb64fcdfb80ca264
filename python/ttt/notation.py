"""Notation: moves, options and positions as text, for every game alike.

A move is written as the game's `Spelling` says. A list of moves needs no separators; spaces, commas
and semicolons are allowed. Options are `name=value`, with commas between them. A position is one
line:

    game[:options] marks side-to-move [board-in-force [owners]]

    connect4 ......./......./......./...x.../...oo../..oxx.. x
    nineboard:full=draw ........./........./.....x.../ ... /......... o 6

The marks are in reading order with slashes between rows, small boards or levels; the board in force
is 1-9, `*` for any or `-` when the game is over; owners are given only in
ultimate:won=open, where the marks alone do not show them.
"""

from collections import namedtuple
from functools import lru_cache

from ttt_core.errors import BadNotation, shorten
from ttt_core.move import Move

TYPE_CHECKING = False  # see `ttt/__init__.py`
if TYPE_CHECKING:
    import re
    from typing import Any, TypeVar

    from ttt.board import Board

    B = TypeVar("B", bound=Board)

SEPARATORS = r"(?u:[\s,;]*)"
WORD = r"(?u:[^\s,;]*)"
"""With Unicode blanks, although the moves themselves are ASCII."""
RESULTS: dict[str | None, str] = {"x": "1-0", "o": "0-1", None: "1/2-1/2"}
"""The result of a finished game, by its winner."""


class Spelling(namedtuple("Spelling", ("pattern", "help", "glue"), defaults=("",))):
    """How a move is written: the groups of `pattern`, joined by `glue`, are its canonical text."""

    __slots__ = ()
    pattern: str
    help: str
    glue: str


@lru_cache(maxsize=64)
def _compiled(pattern: str, of_moves: bool = False) -> "re.Pattern[str]":
    import re  # later: a process that reads no move starts sooner without it

    return re.compile(pattern, re.IGNORECASE | re.ASCII if of_moves else 0)


def _skip(text: str, at: int) -> int:
    """Where the next word begins."""
    return _compiled(SEPARATORS).match(text, at).end()  # type: ignore[union-attr]


def parse_moves(board: "Board", text: str) -> list[Move]:
    """The moves listed in a text, legal or not; raises BadNotation at a word that is not a move."""
    if not isinstance(text, str):
        raise TypeError(f"expected moves as text, not {type(text).__name__}")
    spelling = board.spelling
    pattern = _compiled(spelling.pattern, of_moves=True)
    found: list[Move] = []
    at = word = _skip(text, 0)
    while at < len(text):
        match = pattern.match(text, at)
        move = board.ruleset.find(spelling.glue.join(match.groups()).lower()) if match else None
        if match is None or move is None:
            wrong = text[word : word + 100]
            wrong = wrong[: _compiled(WORD).match(wrong, at - word).end()]  # type: ignore[union-attr]
            raise BadNotation(f"{shorten(wrong)} is not a move: {spelling.help}")
        found.append(move)
        at = _skip(text, match.end())
        if at > match.end():
            word = at
    return found


def parse_options(text: str) -> dict[str, str]:
    """The options of a text such as "full=draw" or "m=4,n=4,k=3"."""
    found: dict[str, str] = {}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if not (name and equals and value):
            raise BadNotation(f"invalid option {shorten(part)}; write name=value")
        if name in found:
            raise BadNotation(f"option {shorten(name)} is given twice")
        found[name] = value
    return found


def option_text(board: "Board") -> str:
    """The options that are not the default, as `parse_options` reads them."""
    options: dict[str, Any] = board.options
    return ",".join(
        f"{choice.name}={options[choice.name]}"
        for choice in board.choices
        if options[choice.name] != choice.default
    )


def board_number(in_force: int | str) -> str:
    """The board in force as people count: 1-9, or "*" for any."""
    return "*" if in_force == "*" else str(int(in_force) + 1)


def position_text(board: "Board") -> str:
    """A position as one line."""
    marks, in_force, owners = board.picture()
    options = option_text(board)
    row = board.text_row or board.layout.width
    parts = [
        board.game + (f":{options}" if options else ""),
        "/".join(marks[i : i + row] for i in range(0, len(marks), row)),
        board.turn,
    ]
    if board.has_board_in_force:
        parts.append("-" if in_force is None else board_number(in_force))
    if owners and board.text_has_owners:
        parts.append(owners)
    return " ".join(parts)


def read_position(start: "B", fields: list[str]) -> "B":
    """The position that the fields after the game describe, for the game and options of `start`."""
    wanted = ["marks", "side to move"]
    if start.has_board_in_force:
        wanted.append("board in force (1-9, * or -)")
    if start.text_has_owners:
        wanted.append("owners of the boards")
    if len(fields) != len(wanted):
        raise BadNotation(
            f"{len(fields)} fields after the game; expected {len(wanted)}: {', '.join(wanted)}"
        )
    row = start.text_row or start.layout.width
    rows = fields[0].split("/")
    groups = len(start.marks) // row
    if [len(part) for part in rows] != [row] * groups:
        raise BadNotation(f"expected marks in {groups} groups of {row} with slashes between them")
    in_force: int | str | None = None
    if start.has_board_in_force and fields[2] != "-":
        if fields[2] not in "*123456789" or len(fields[2]) != 1:
            raise BadNotation(
                f"board in force {shorten(fields[2])}: expected 1-9, * for any or - for none"
            )
        in_force = "*" if fields[2] == "*" else int(fields[2]) - 1
    board = start.root()
    board.set_picture("".join(rows), in_force, fields[-1] if start.text_has_owners else "")
    if fields[1] != board.turn:
        raise BadNotation(
            f"side to move {shorten(fields[1])}: expected {board.turn}, by the number of marks"
        )
    return board
