"""Players that the operator of a server adds to the page, each under a name.

They may be programs or modules. Visitors use their names; they cannot give such texts themselves,
nor do they see them. A program that has moved waits for the reply: protocols that tell only the
opponent's moves, and clocks, need the same process for a whole game.
"""

import contextlib
import re
import sys
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from ttt.board import Board
from ttt.players.builtin import PLAYERS
from ttt.players.presets import HUMAN, PRESETS, PROGRAM
from ttt.players.spec import (
    expand,
    is_custom,
    is_program,
    known_players,
    load_custom,
    make_player,
)
from ttt.protocols.process import ProgramError, split_command
from ttt.protocols.program import PROTOCOLS, Program, split_program
from ttt.web.limits import WebLimits
from ttt.web.records import Record
from ttt.web.service import MoveTask
from ttt_core.errors import BadNotation, shorten

if TYPE_CHECKING:
    from ttt.web.searches import Emit

NAME = re.compile(r"[A-Za-z][\w.-]{0,39}", re.ASCII)
FORM = "expected NAME=PLAYER, such as stock=program:./bot,protocol=ugi"


class Waiting(NamedTuple):
    """A player between two of its moves."""

    name: str
    after: str
    """The game so far, with the player's last move."""
    player: Any


def parse_guests(texts: Iterable[str]) -> dict[str, str]:
    """The player texts by name of texts such as "stock=program:./bot,protocol=ugi"."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, spec = text.partition("=")
        if not (equals and NAME.fullmatch(name) and spec):
            raise BadNotation(f"player {shorten(text)}: {FORM}")
        if name in (*PLAYERS, *PRESETS, HUMAN, PROGRAM) or name.startswith("level-"):
            raise BadNotation(f"player {shorten(name)}: the name of a built-in player")
        if name in found:
            raise BadNotation(f"player {shorten(name)}: given twice")
        if is_program(spec):
            command, options = split_program(spec)
            split_command(command)
            if options["protocol"] not in PROTOCOLS:
                known = ", ".join(PROTOCOLS)
                raise BadNotation(f"protocol={shorten(options['protocol'])}: choose from {known}")
        elif is_custom(spec):
            load_custom(spec)
        elif expand(spec)[0] not in PLAYERS:
            raise BadNotation(f"unknown player {shorten(spec)}; {known_players()}")
        found[name] = spec
    return found


def history(board: Board) -> str:
    """The first position and the moves of a game."""
    return " ".join([board.root().text(), "/", *map(str, board.moves)])


class Guests:
    """The operator's players. At most `most` of them wait for a reply; any thread may use them."""

    def __init__(self, specs: dict[str, str], most: int, seconds: float) -> None:
        self.specs = specs
        self.most = most
        self.seconds = seconds
        self.waiting: list[Waiting] = []
        """The latest last."""
        self.lock = threading.Lock()
        self.closing = False

    def __contains__(self, name: str) -> bool:
        return name in self.specs

    def make(self, name: str, board: Board) -> Any:
        """A new player; raises ValueError if it cannot play the game of the board."""
        return make_player(self.specs[name], board, self.seconds)

    def resume(self, name: str, board: Board) -> Any | None:
        """The player that waits for the last move of a board."""
        before = board.copy()
        if not before.moves:
            return None
        before.pop()
        after = history(before)
        with self.lock:
            for entry in reversed(self.waiting):
                if (entry.name, entry.after) == (name, after):
                    self.waiting.remove(entry)
                    return entry.player
        return None

    def keep(self, name: str, board: Board, player: Any) -> None:
        """Lets a player wait for the reply to its move, the last one of the board."""
        surplus = player
        with self.lock:
            if not self.closing and not board.is_game_over():
                self.waiting.append(Waiting(name, history(board), player))
                full = len(self.waiting) > self.most
                surplus = self.waiting.pop(0).player if full else None
        end(surplus)

    def close(self) -> None:
        """Ends all that wait; those at work end when they have moved."""
        with self.lock:
            self.closing = True
            waiting, self.waiting = self.waiting, []
        for entry in waiting:
            end(entry.player)


def end(player: Any) -> None:
    """Ends a player's program, if it has one."""
    if isinstance(player, Program):
        player.close()


class GuestTask(MoveTask):
    """The move of an operator's player."""

    def __init__(self, guests: Guests, request: Record, limits: WebLimits) -> None:
        self.guests = guests
        self.stopped = False
        super().__init__(request, limits)

    def find_player(self, request: Record, limits: WebLimits) -> Any:
        return self.guests.make(self.label, self.board)

    def stop(self) -> None:
        self.stopped = True
        if isinstance(self.player, Program):
            self.player.kill()
        else:
            super().stop()

    def run(self, emit: "Emit") -> Record:
        known = self.guests.resume(self.label, self.board)
        self.player = known or self.player
        try:
            record = self.play(new_game=known is None)
        except Exception as error:
            end(self.player)
            raise self.failure(error) from None
        self.guests.keep(self.label, self.board, self.player)
        return record

    def failure(self, error: Exception) -> ValueError:
        """What the visitor is told; the operator reads the details, unless nobody waits."""
        kind = error.kind if isinstance(error, ProgramError) else type(error).__name__
        if not self.stopped:
            with contextlib.suppress(OSError, ValueError):
                print(f"ttt web: {self.label}: {kind}: {error}", file=sys.stderr, flush=True)
        why = str(error) if kind == "exception" else kind
        return ValueError(f"{self.label} failed: {why}; choose another player or start a new game")
