"""Series: which games are played between which players, from what openings, with what seeds.

Everything about a game follows from the settings and its number: any process can play any game,
in any order, and a series that was cut short goes on with the games that are missing.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import combinations
from random import Random
from typing import Any

from ttt.board import Board
from ttt.matches.game import Fixture, patience, play_game
from ttt.matches.record import Game
from ttt.notation import parse_options
from ttt.players.spec import Player, is_foreign, make_player
from ttt_core.errors import shorten

SIDES = ("swap", "keep", "draw")
MOST_GAMES = 10**6


@dataclass
class Series:
    """The settings. `games` are played between every two of the players."""

    game: str
    players: list[str]
    games: int = 100
    options: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    openings: str = ""
    """ "random:K": K random moves; otherwise the name that `lines` came by."""
    lines: list[str] = field(default_factory=list)
    """Openings as moves; used in turn."""
    sides: str = "swap"
    """swap: two games from each opening, sides exchanged; keep: the first player is x; draw: by
    lot."""
    time: float | None = None
    """Seconds a move."""

    def check(self, named: bool = True) -> None:
        """Refuses settings that cannot be played; `named`: the players are known by their texts."""
        if len(self.players) < 2:
            raise ValueError("at least two players")
        if not 1 <= self.total <= MOST_GAMES:
            raise ValueError(f"games={self.games}: from 1 up, and at most {MOST_GAMES:,} in all")
        if self.time is not None and not 0 < self.time < 1e9:
            raise ValueError(f"time={self.time}: seconds, more than 0")
        if self.sides not in SIDES:
            raise ValueError(f"sides={self.sides!r}: {', '.join(SIDES)}")
        board = self.board()
        for player in self.players if named else ():
            make_player(player, board, self.time)
            self.check_time(player)
        if self.openings.startswith("random:"):
            self.random_plies()
        for line in self.lines:
            start = self.board()
            start.push_moves(line)
            if start.is_game_over():
                raise ValueError(f"the opening {shorten(line)} ends the game")
        self.fixture(1)

    def check_time(self, player: str) -> None:
        """Refuses a player whose own time would lose it every game."""
        own = None if is_foreign(player) else parse_options(player.partition(":")[2]).get("time")
        if self.time is not None and own is not None and float(own) > patience(self.time):
            raise ValueError(
                f"{player} takes {own} s a move, but with a time of {self.time:g} s a move of more"
                f" than {patience(self.time):g} s loses the game"
            )

    def settings(self) -> dict[str, Any]:
        """All there is to know, as JSON takes it."""
        return asdict(self)

    def board(self) -> Board:
        return Board(self.game, **self.options)

    @property
    def pairings(self) -> list[tuple[int, int]]:
        """Who plays whom, by their numbers from 1."""
        return list(combinations(range(1, len(self.players) + 1), 2))

    @property
    def total(self) -> int:
        return self.games * len(self.pairings)

    def random_plies(self) -> int:
        text = self.openings.partition(":")[2]
        most = len(self.board().marks)
        if not (text.isascii() and text.isdigit() and len(text) < 4 and int(text) < most):
            raise ValueError(
                f"openings {shorten(self.openings)}: random:K with K from 0 to {most - 1}"
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
            # An opening must leave the game open: nobody wins at once, or cannot stop it.
            if board.safe_moves() and not any(map(board.is_legal, board.wins())):
                return " ".join(board.moves)
        if fallback is None:
            raise ValueError(f"openings {self.openings}: {plies} random moves leave no game open")
        return " ".join(fallback.moves)

    def fixture(self, number: int) -> Fixture:
        """The game with this number, from 1."""
        pairing, within = divmod(number - 1, self.games)
        first, second = self.pairings[pairing]
        opening = self.opening(within // 2 if self.sides == "swap" else within)
        random = Random(f"{self.seed}/game/{number}")
        exchanged = (
            within % 2 == 1
            if self.sides == "swap"
            else self.sides == "draw" and random.random() < 0.5
        )
        if exchanged:
            first, second = second, first
        return Fixture(number, first, second, opening, random.getrandbits(62))


# --- many games ----------------------------------------------------------------------------------


def play_series(
    series: Series, missing: list[int], processes: int = 1, players: list[Player] | None = None
) -> Iterator[Game]:
    """Plays the games with these numbers and yields each as it finishes. `players` are objects to
    use instead of what the texts mean, in this process."""
    if processes > 1 and players is None:
        from ttt.matches.workers import play_apart

        yield from play_apart(series, missing, min(processes, max(len(missing), 1)))
        return
    board = series.board()
    ready = players or [make_player(text, board, series.time) for text in series.players]
    table = dict(enumerate(ready, 1))
    for number in missing:
        yield play_game(series.fixture(number), series.board(), table, series.time)


def read_openings(text: str) -> tuple[str, list[str]]:
    """What --openings means: the name to keep, and the lines of a file."""
    if not text or text.startswith("random:"):
        return text, []
    import zlib

    try:
        with open(text, encoding="utf-8") as file:
            content = file.read()
    except OSError as error:
        raise ValueError(
            f"openings {shorten(text)}: {error.strerror}; give random:K or a file of moves"
        ) from None
    except UnicodeDecodeError:
        raise ValueError(f"openings {shorten(text)}: not a text file") from None
    lines = [line.partition("#")[0].strip() for line in content.splitlines()]
    lines = [line for line in lines if line]
    if not lines:
        raise ValueError(f"openings {shorten(text)}: no line with moves")
    return f"{text}#{zlib.crc32(content.encode()):08x}", lines
