"""Saved games: a text file with one line of JSON per game; `ttt replay` shows them.

The first line is the header: the kind and version of the file, the game with its options, the
players and all other settings of the series. Every other line is a finished game:

    game         its number, from 1
    x, o         the numbers of its players in the header, from 1
    opening      the number of moves that belong to the opening
    moves        all moves, as `ttt show --moves` takes them
    result       1-0 (x won), 0-1 (o won) or 1/2-1/2
    termination  line, full, boards or pointed; if an error lost the game: illegal, exception,
                 timeout or crash
    error        what went wrong, if something did
    ms           milliseconds of each move after the opening

Each line is sealed with a checksum "crc": see `ttt.storage.lines`. The header may be repeated: so
`cat` joins the files of several shards of a series. It is repeated with a larger number of games
when a match of two players is extended.
"""

import json
from typing import Any, TypedDict

from ttt.board import Board
from ttt.storage.lines import DamagedFile, LineFile, read_lines
from ttt_core.errors import shorten

VERSION = 3
START = '{"ttt":"games"'
"""How every file of saved games begins."""
RESULTS = ("1-0", "0-1", "1/2-1/2")

Header = dict[str, Any]
"""The first line: "ttt", "version" and the settings of a series."""


class FinishedGame(TypedDict):
    """The fields that every saved game has."""

    game: int
    x: int
    o: int
    opening: int
    moves: str
    result: str
    termination: str
    ms: list[float]


class SavedGame(FinishedGame, total=False):
    """A finished game, as it is saved."""

    error: str


def read_games(path: str) -> tuple[Header | None, list[SavedGame]]:
    """The header and the games of a file; (None, []) if the file is empty."""
    return _parse_lines(path, read_lines(path, START))


def _parse_lines(path: str, lines: list[str]) -> tuple[Header | None, list[SavedGame]]:
    if not lines:
        return None, []
    header: Header = _parse_line(path, 1, lines[0])
    if header.get("version") != VERSION:
        raise DamagedFile(
            f"{path}: saved games of version {shorten(header.get('version'))}; only version"
            f" {VERSION} can be read"
        )
    games = []
    for number, line in enumerate(lines[1:], 2):
        if line == lines[0]:
            continue
        game: Any = _parse_line(path, number, line)
        if line.startswith(START) and extends(game, header):
            header = game
            continue
        if not _is_game(game, header):
            raise DamagedFile(f"{path}, line {number}: not a saved game")
        games.append(game)
    return header, games


def _parse_line(path: str, number: int, line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise DamagedFile(f"{path}, line {number}: not a saved game")
    return found


def _is_game(game: dict[str, Any], header: Header) -> bool:
    players = header.get("players")
    numbers = range(1, 1 + len(players if isinstance(players, list) else ()))
    return (
        isinstance(game.get("game"), int)
        and game.get("x") in numbers
        and game.get("o") in numbers
        and game.get("result") in RESULTS
        and isinstance(game.get("termination"), str)
        and isinstance(game.get("moves"), str)
        and isinstance(game.get("opening"), int)
        and isinstance(game.get("ms"), list)
        and all(isinstance(ms, int | float) for ms in game["ms"])
    )


def replay(header: Header, game: SavedGame) -> Board:
    """The board of a saved game with all its moves played."""
    board = Board(header["game"], **header["options"])
    board.push_moves(game["moves"])
    return board


def score_of(game: SavedGame, player: int) -> float:
    """1, 0.5 or 0 for a player of a game."""
    if game["result"] == "1/2-1/2":
        return 0.5
    winner = game["x"] if game["result"] == "1-0" else game["o"]
    return float(winner == player)


def extends(new: Header, old: Header) -> bool:
    """Whether a header is that of the same match with more games. The games of a tournament would
    get other numbers, and with them other seeds."""
    players, before, after = old.get("players"), old.get("games"), new.get("games")
    return (
        isinstance(players, list)
        and len(players) == 2
        and isinstance(before, int)
        and isinstance(after, int)
        and after > before
        and {**new, "games": 0} == {**old, "games": 0}
    )


class Recorder:
    """Appends games to a file as they finish. `games` are those that it had at the start."""

    def __init__(self, path: str, settings: dict[str, Any], resume: bool) -> None:
        header = {"ttt": "games", "version": VERSION, **settings}
        try:
            self.file = LineFile(path, START, new=not resume)
        except FileExistsError:
            raise ValueError(
                f"{path}: file exists; use --resume to continue it, or choose another file"
            ) from None
        try:
            found, self.games = _parse_lines(path, self.file.lines)
            if found is None or extends(header, found):
                self._write(header)
            elif found != header:
                names = [name for name in header if found.get(name) != header[name]]
                what = ", ".join(names) or ", ".join(found.keys() - header.keys())
                raise ValueError(f"{path}: saved games of another match: different {what}")
        except BaseException:
            self.file.close()
            raise

    def add(self, game: SavedGame) -> None:
        """Saves a finished game. It is not lost if the process is killed afterwards."""
        self._write(game)

    def _write(self, entry: Header | SavedGame) -> None:
        self.file.append(json.dumps(entry, separators=(",", ":")))

    def close(self) -> None:
        self.file.close()
