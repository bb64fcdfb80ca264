"""Series: the players of each game, its opening and its seed.

A game depends only on the settings and its number. So any process can play any game, in any order,
and an interrupted series is resumed by playing the missing numbers.
"""

import zlib
from dataclasses import asdict, dataclass, field
from itertools import combinations
from random import Random
from typing import Any, NamedTuple

from ttt.board import Board
from ttt.limits import Limit
from ttt.players.spec import given_time, make_player
from ttt.protocols.clock import forfeit_limit
from ttt.storage.reading import MIB, read_whole
from ttt_core.errors import shorten

SIDES = ("swap", "fixed", "random")
MAX_GAMES = 10**6
LARGEST = 16 * MIB
"""Bytes of a file of openings. A larger one is refused before it is read."""


class Fixture(NamedTuple):
    """One game to be played: the numbers of its players, its opening and its seed."""

    number: int
    x: int
    o: int
    opening: str
    seed: int


@dataclass
class Series:
    """The settings of a series. Every two players play `games` games."""

    game: str
    players: list[str]
    games: int = 100
    options: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    openings: str = ""
    """ "random:K" for K random moves, or the name of the file that `lines` were read from."""
    lines: list[str] = field(default_factory=list)
    """Openings as texts of moves, used one after the other."""
    sides: str = "swap"
    """swap: two games per opening, with sides swapped; fixed: the first player is always x;
    random: sides are drawn at random."""
    time: float | None = None
    """Seconds per move."""

    def check(self, named: bool = True) -> None:
        """Raises ValueError for settings that cannot be played. `named`: the players' texts are
        checked too."""
        if len(self.players) < 2:
            raise ValueError("a series needs at least two players")
        if not 1 <= self.total <= MAX_GAMES:
            raise ValueError(
                f"games={self.games}: expected at least 1, and at most {MAX_GAMES:,} in all"
            )
        Limit(time=self.time)
        if self.sides not in SIDES:
            raise ValueError(f"unknown sides {self.sides!r}; choose from {', '.join(SIDES)}")
        board = self.board()
        made = [make_player(player, board, self.time) for player in self.players if named]
        for player in self.players if named else ():
            self.check_time(player)
        if self.openings.startswith("random:"):
            self.random_plies()
        for line in self.lines:
            start = self.board()
            start.push_moves(line)
            if start.is_game_over():
                raise ValueError(f"opening {shorten(line)} ends the game")
        for opening in self.lines or [self.opening(0)]:
            for maker in made:
                if hasattr(maker, "check_opening"):
                    maker.check_opening(len(board.parse_moves(opening)))
        self.fixture(1)

    def check_time(self, player: str) -> None:
        """Raises ValueError for a player whose own time per move would lose every game."""
        own = given_time(player)
        if self.time is not None and own is not None and float(own) > forfeit_limit(self.time):
            raise ValueError(
                f"{player} takes {own} s per move, but with time={self.time:g} a move of more"
                f" than {forfeit_limit(self.time):g} s loses the game"
            )

    def settings(self) -> dict[str, Any]:
        """All settings, ready for JSON."""
        return asdict(self)

    def board(self) -> Board:
        """A new board at the start position."""
        return Board(self.game, **self.options)

    @property
    def pairings(self) -> list[tuple[int, int]]:
        """Who plays whom: the numbers of the players, from 1."""
        return list(combinations(range(1, len(self.players) + 1), 2))

    @property
    def total(self) -> int:
        """Number of games of all pairings."""
        return self.games * len(self.pairings)

    def random_plies(self) -> int:
        """K of the openings "random:K"."""
        text = self.openings.partition(":")[2]
        cells = len(self.board().marks)
        if not (text.isascii() and text.isdigit() and len(text) < 4 and int(text) < cells):
            raise ValueError(
                f"openings={shorten(self.openings)}: expected random:K with K from 0 to {cells - 1}"
            )
        return int(text)

    def opening(self, number: int) -> str:
        """The moves of the opening with this number, from 0."""
        if self.lines:
            return self.lines[number % len(self.lines)]
        if not self.openings.startswith("random:"):
            return ""
        plies = self.random_plies()
        random = Random(f"{self.seed}/opening/{number}")
        fallback = None
        for _ in range(200):
            board = self.board()
            while board.ply < plies and not board.is_game_over():
                board.push(random.choice(board.legal_moves))
            if board.is_game_over():
                continue
            fallback = fallback or board
            # Prefer openings in which the side to move has neither a win in one nor a lost game.
            if board.safe_moves() and not any(map(board.is_legal, board.wins())):
                return " ".join(board.moves)
        if fallback is None:
            raise ValueError(
                f"openings={self.openings!r}: {plies} random moves always end the game"
            )
        return " ".join(fallback.moves)

    def fixture(self, number: int) -> Fixture:
        """The game with this number, from 1."""
        pairing, within = divmod(number - 1, self.games)
        first, second = self.pairings[pairing]
        opening = self.opening(within // 2 if self.sides == "swap" else within)
        random = Random(f"{self.seed}/game/{number}")
        swapped = (
            within % 2 == 1
            if self.sides == "swap"
            else self.sides == "random" and random.random() < 0.5
        )
        if swapped:
            first, second = second, first
        return Fixture(number, first, second, opening, random.getrandbits(62))


def read_openings(text: str) -> tuple[str, list[str]]:
    """The `openings` and `lines` of a series, for "random:K" or the name of a file.

    The file has one opening per line; `#` begins a comment.
    """
    if not text or text.startswith("random:"):
        return text, []
    try:
        content = read_whole(text, LARGEST).decode()
    except OSError as error:
        raise ValueError(
            f"openings={shorten(text)}: {error.strerror}; expected random:K or a file of moves"
        ) from None
    except UnicodeDecodeError:
        raise ValueError(f"openings={shorten(text)}: not a text file") from None
    lines = [line.partition("#")[0].strip() for line in content.splitlines()]
    lines = [line for line in lines if line]
    if not lines:
        raise ValueError(f"openings={shorten(text)}: the file contains no moves")
    return f"{text}#{zlib.crc32(content.encode()):08x}", lines
