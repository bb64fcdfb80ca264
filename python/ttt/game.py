"""Game: a played game with headers, and its text format.

    [Game "nineboard"]
    [Options "full=draw"]
    [X "engine:time=1"]
    [O "human"]
    [Result "1-0"]

    5-6 6-1 1-9 9-9

Headers come first, one `[Name "value"]` per line; quotes and backslashes in a value
are escaped with a backslash. After an empty line come the moves, in any notation that the game
accepts, on any number of lines.

    Game       the name of the game; required
    Options    the options that are not the default
    Position   the first position as `Board.text()` writes it, if it is not the start position
    Result     "1-0" (x won), "0-1", "1/2-1/2" or "*" (not finished). It must not contradict a
               finished game; an unfinished game may have any result, for example by resignation

Other headers are up to the writer, such as X, O, Date and Event.
"""

import os
import re
from typing import TYPE_CHECKING, Any

from ttt.notation import option_text, parse_options
from ttt.registry import board_class
from ttt_core.errors import BadNotation, shorten
from ttt_core.move import Move

if TYPE_CHECKING:
    from os import PathLike

    from ttt.board import Board

HEADER = re.compile(r'\[(\w+) "((?:[^"\\]|\\.)*)"\]')
NAME = re.compile(r"[A-Za-z]\w*", re.ASCII)
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
OWN = ("Game", "Options", "Position", "Result")
"""Headers that this module defines."""
WIDTH = 80
LARGEST = 1 << 20
"""Bytes. A larger file is refused before it is read."""


class Game:
    """A game as headers and moves.

    >>> from ttt import Board
    >>> board = Board("connect4")
    >>> board.push_moves("4455")
    >>> game = Game.from_board(board, X="me", O="you")
    >>> print(game)
    [Game "connect4"]
    [X "me"]
    [O "you"]
    [Result "*"]
    <BLANKLINE>
    4 4 5 5
    >>> Game.parse(str(game)).board() == board
    True
    """

    def __init__(self, headers: dict[str, str], moves: list[Move]) -> None:
        self.headers = headers
        self.moves = moves

    @classmethod
    def from_board(cls, board: "Board", **headers: str) -> "Game":
        """The game that led to a position. `Result` may be given for a game that is not over."""
        own = {"Game": board.game}
        if options := option_text(board):
            own["Options"] = options
        if not board.is_from_start():
            own["Position"] = board.root().text()
        result = headers.pop("Result", board.result())
        for name, value in headers.items():
            check_header(name, value)
        game = cls({**own, **headers, "Result": result}, board.moves)
        check_result(result, board)
        return game

    @classmethod
    def parse(cls, text: str) -> "Game":
        """The game that a text describes; raises BadNotation if the text is invalid."""
        if not isinstance(text, str):
            raise TypeError(f"expected a game as text, not {type(text).__name__}")
        headers: dict[str, str] = {}
        lines = text.splitlines()
        at = 0
        while at < len(lines) and (not lines[at].strip() or lines[at].startswith("[")):
            if lines[at].strip():
                match = HEADER.fullmatch(lines[at].strip())
                if match is None:
                    raise BadNotation(f'line {at + 1}: expected a header such as [X "name"]')
                if match[1] in headers:
                    raise BadNotation(f"line {at + 1}: header {match[1]} is given twice")
                headers[match[1]] = re.sub(r"\\(.)", r"\1", match[2])
            at += 1
        if "Game" not in headers:
            raise BadNotation('not a saved game: the header [Game "..."] is missing')
        board = first_board(headers)
        board.push_moves(" ".join(lines[at:]))
        check_result(headers.get("Result", "*"), board)
        return cls(headers, board.moves)

    def board(self) -> "Board":
        """The position after the last move, with its history."""
        board = first_board(self.headers)
        for move in self.moves:
            board.push(move)
        return board

    def save(self, path: "str | PathLike[str]") -> None:
        """Writes the file atomically."""
        from ttt.storage.atomic import write_whole

        write_whole(path, [f"{self}\n".encode()])

    @classmethod
    def load(cls, path: "str | PathLike[str]") -> "Game":
        """Reads a file that `save` wrote."""
        from ttt.storage.reading import read_whole

        try:
            return cls.parse(read_whole(path, LARGEST).decode())
        except UnicodeDecodeError:
            raise BadNotation(f"{os.fspath(path)}: not a text file") from None
        except BadNotation as error:
            raise BadNotation(f"{os.fspath(path)}: {error}") from None

    def __str__(self) -> str:
        lines = [f'[{name} "{escape(value)}"]' for name, value in self.headers.items()]
        lines += ["", ""]
        for move in self.moves:
            word = move.replace(" ", "-")
            if lines[-1] and len(lines[-1]) + 1 + len(word) > WIDTH:
                lines.append("")
            lines[-1] += f" {word}" if lines[-1] else word
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Game of {self.headers['Game']}: {len(self.moves)} moves>"

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, Game):
            return NotImplemented
        return (self.headers, self.moves) == (other.headers, other.moves)

    __hash__ = None  # type: ignore[assignment]


def first_board(headers: dict[str, str]) -> "Board":
    """The position that a game begins with."""
    found = board_class(headers["Game"])
    if "Position" in headers:
        return found.parse(headers["Position"])
    return found(**parse_options(headers.get("Options", "")))


def check_header(name: str, value: object) -> None:
    """Raises ValueError if a header cannot be written."""
    if name in OWN:
        raise ValueError(f"header {name} is set from the board and cannot be given")
    if not NAME.fullmatch(name):
        raise ValueError(f"invalid header {shorten(name)}; use letters and digits")
    if not isinstance(value, str) or not value.isprintable():
        raise ValueError(f"header {name}={shorten(value)}: expected one line of text")


def check_result(result: str, board: "Board") -> None:
    """Raises if a result is invalid, or contradicts the final position."""
    if result not in RESULTS:
        raise BadNotation(f"unknown result {shorten(result)}; choose from {', '.join(RESULTS)}")
    if board.is_game_over() and result not in (board.result(), "*"):
        raise BadNotation(f"the result is {result}, but the moves end with {board.result()}")


def escape(value: str) -> str:
    """A value with its quotes and backslashes escaped."""
    return value.replace("\\", "\\\\").replace('"', '\\"')
