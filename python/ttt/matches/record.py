"""Saved games: a text file, one line of JSON a game, that replays.

The first line says what was played: the version of the form, the game with its options, the
players and all other settings. Every other line is a finished game:

    game      its number, from 1
    x, o      the numbers of its players in the first line, from 1
    opening   how many moves were given
    moves     all moves, as `ttt show --moves` takes them
    result    x, o or draw
    by        line, full, boards, pointed; or illegal, exception, timeout, crash: an error lost it
    error     what went wrong, if something did
    ms        the milliseconds of each move after the opening

Each line ends with "crc", the CRC-32 of the line up to there: a damaged file is refused.
"""

import fcntl
import json
import os
import zlib
from typing import Any

from ttt.board import Board
from ttt_core.errors import BadNotation, shorten

VERSION = 2
SEAL = b',"crc":'
Game = dict[str, Any]


def read_games(path: str) -> tuple[dict[str, Any] | None, list[Game], int]:
    """The first line, the games, and how many bytes hold them. A last line without an end, left by
    a program that was killed, does not count; (None, [], 0) is an empty file."""
    with open(path, "rb") as file:
        content = file.read()
    whole = content.rfind(b"\n") + 1
    lines = content[:whole].split(b"\n")[:-1]
    found = [_read_line(path, i, line) for i, line in enumerate(lines, 1)]
    if not found:
        if content and not (b'{"ttt":'.startswith(content[:7]) or content.startswith(b'{"ttt":')):
            raise BadNotation(f"{path} holds no saved games")
        return None, [], 0
    header = found[0]
    if header.get("ttt") != "games":
        raise BadNotation(f"{path} holds no saved games: its first line is no header")
    if header.get("version") != VERSION:
        raise BadNotation(
            f"{path} is of version {shorten(header.get('version'))}; this reads {VERSION}"
        )
    for line, (game, text) in enumerate(zip(found, lines, strict=True), 1):
        if game.pop("crc", None) != _checksum(text[: text.rfind(SEAL)]):
            raise BadNotation(f"{path}, line {line} is damaged: its checksum does not fit")
        if line > 1:
            _check_game(path, line, game, header)
    return header, found[1:], whole


def _read_line(path: str, line: int, content: bytes) -> dict[str, Any]:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise BadNotation(f"{path}, line {line}: no saved game")
    return found


def _checksum(text: bytes) -> str:
    return f"{zlib.crc32(text):08x}"


def _check_game(path: str, line: int, game: Game, header: dict[str, Any]) -> None:
    players = header.get("players")
    seats = range(1, 1 + len(players if isinstance(players, list) else ()))
    good = (
        isinstance(game.get("game"), int)
        and game.get("x") in seats
        and game.get("o") in seats
        and game.get("result") in ("x", "o", "draw")
        and isinstance(game.get("by"), str)
        and isinstance(game.get("moves"), str)
        and isinstance(game.get("opening"), int)
        and isinstance(game.get("ms"), list)
        and all(isinstance(ms, int | float) for ms in game["ms"])
    )
    if not good:
        raise BadNotation(f"{path}, line {line}: no saved game")


def replay(header: dict[str, Any], game: Game) -> Board:
    """The board of a saved game with all its moves played."""
    board = Board(header["game"], **header["options"])
    board.push_moves(game["moves"])
    return board


def score_of(game: Game, player: int) -> float:
    """1, 0.5 or 0 for a player of a game."""
    if game["result"] == "draw":
        return 0.5
    return 1.0 if game[game["result"]] == player else 0.0


class Recorder:
    """Writes games to a file as they finish; `done` are the ones found there at the start."""

    def __init__(self, path: str, header: dict[str, Any], resume: bool) -> None:
        self.done: list[Game] = []
        header = {"ttt": "games", "version": VERSION, **header}
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | (0 if resume else os.O_EXCL)
        try:
            self.file = open(os.open(path, flags, 0o666), "ab", buffering=0)  # noqa: SIM115
        except FileExistsError:
            raise ValueError(
                f"{path} is there already: --resume goes on with it; or name another file"
            ) from None
        except OSError as error:
            raise ValueError(f"{path} cannot be written: {error.strerror}") from None
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            found, self.done, whole = read_games(path)
            if found is not None and found != header:
                names = [name for name in header if found.get(name) != header[name]]
                what = ", ".join(names) or ", ".join(found.keys() - header.keys())
                raise ValueError(f"{path} is of another match: it differs in {what}")
            self.file.truncate(whole)
            if found is None:
                self._write(header)
        except BlockingIOError:
            self.file.close()
            raise ValueError(f"{path} is being written by another match") from None
        except BaseException:
            self.file.close()
            raise

    def add(self, game: Game) -> None:
        """Saves a finished game: once it returns, only the loss of the machine can lose it."""
        self._write(game)

    def _write(self, entry: dict[str, Any]) -> None:
        text = json.dumps(entry, separators=(",", ":")).encode()[:-1]
        rest = text + SEAL + f'"{_checksum(text)}"}}\n'.encode()
        while rest:
            rest = rest[self.file.write(rest) :]

    def close(self) -> None:
        self.file.close()
