"""Programs as players: `program:COMMAND,protocol=ugi|codingame|unsw,option=value,...`.

The command is split into words as a shell does, but run without one. Everything up to the last
`,protocol=` belongs to it; without that, the protocol is ugi. Options:

    time=S          seconds per move (default 1; codingame: 1 for the first move, then 0.1)
    clock=S+S       a clock instead: seconds for the game and for each move (default of unsw: 30+2)
    depth=N         plies, with ugi
    nodes=N         positions, with ugi
    Name=value      with ugi: an option of the program, sent by setoption

A program that ends, breaks the protocol or does not answer in time loses the game. It is killed
with all its children, and started again for the next game.
"""

import contextlib
from collections.abc import Callable
from time import monotonic
from typing import Any

from ttt.board import Board
from ttt.limits import Limit
from ttt.notation import parse_options
from ttt.protocols import codingame, unsw
from ttt.protocols.clock import forfeit_limit, parse_clock
from ttt.protocols.dialogs import CodingameDialog, Dialog, Pace, UgiDialog, UnswDialog
from ttt.protocols.process import ProgramError, split_command
from ttt_core.errors import BadNotation, shorten

PROTOCOLS = ("ugi", "codingame", "unsw")
RULES: dict[str, tuple[str, dict[str, str]]] = {
    "codingame": (codingame.GAME, codingame.OPTIONS),
    "unsw": (unsw.GAME, unsw.OPTIONS),
}
"""The game and the options of protocols that are for one game only."""
HUNG_SECONDS = 600.0
"""A program without a time limit that takes longer has hung."""


def split_program(spec: str) -> tuple[str, dict[str, str]]:
    """The command and the options of a player text, as texts."""
    text = spec.partition(":")[2]
    command, found, rest = text.rpartition(",protocol=")
    if not found:
        return text, {"protocol": "ugi"}
    return command, parse_options(f"protocol={rest}")


def _seconds(text: str) -> float:
    try:
        return Limit(time=float(text)).time or 0.0
    except ValueError:
        raise BadNotation(f"time={shorten(text)}: expected a positive number of seconds") from None


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 19 and int(text)):
        raise BadNotation(f"{shorten(text)}: expected a whole number from 1 up")
    return int(text)


READERS: dict[str, Callable[[str], Any]] = {
    "time": _seconds,
    "clock": parse_clock,
    "depth": _whole,
    "nodes": _whole,
}


class Program:
    """A program as a player of the game of `board`. It is started when it is first needed."""

    def __init__(self, spec: str, board: Board, time: float | None = None) -> None:
        """`time` is the default of the option `time`."""
        command, options = split_program(spec)
        self.protocol = options.pop("protocol")
        if self.protocol not in PROTOCOLS:
            raise BadNotation(
                f"protocol={shorten(self.protocol)}: choose from {', '.join(PROTOCOLS)}"
            )
        game, rules = RULES.get(self.protocol, (board.game, {}))
        if board.game != game or not rules.items() <= board.options.items():
            named = ",".join(f"{name}={value}" for name, value in rules.items())
            raise ValueError(f"protocol={self.protocol} plays {game} with {named}")
        self.settings = {name: options.pop(name) for name in [*options] if name[0].isupper()}
        valid = ["time", "clock", *(["depth", "nodes"] if self.protocol == "ugi" else [])]
        for name in options:
            if name not in valid:
                raise BadNotation(
                    f"program: unknown option {shorten(name)} with protocol={self.protocol};"
                    f" choose from {', '.join(valid)}"
                )
        if self.settings and self.protocol != "ugi":
            raise BadNotation(f"protocol={self.protocol} has no option {next(iter(self.settings))}")
        given = {name: READERS[name](text) for name, text in options.items()}
        if time is not None and "clock" not in given:
            given.setdefault("time", time)
        if self.protocol == "unsw" and not given:
            given["clock"] = unsw.CLOCK
        self.pace = Pace(**given)
        self.command = split_command(command)
        self.board = board
        self._seed = 0
        self._dialog: Dialog | None = None
        self._left = 0.0
        self._moves = 0
        """Moves of the program in this game."""

    def __repr__(self) -> str:
        return f"<Program: {' '.join(self.command)}, protocol={self.protocol}>"

    def check_opening(self, plies: int) -> None:
        """Raises ValueError if the program cannot play games that begin with so many moves."""
        most = {"codingame": 0, "unsw": 1}.get(self.protocol, plies)
        if plies > most:
            raise ValueError(
                f"protocol={self.protocol} cannot begin after {plies} moves; use openings of at"
                f" most {most} moves"
            )

    def new_game(self, seed: int) -> None:
        """Prepares for a game: starts the program unless it is ready for another one."""
        self._seed = seed
        self._moves = 0
        self._left = self.pace.clock.initial if self.pace.clock else 0.0
        dialog = self._dialog
        try:
            if dialog is not None and dialog.process.running() and dialog.new_game(seed):
                return
        except ProgramError:
            pass  # a program that fails between games gets another chance
        self.close()
        self._dialog = dialog = self._start()
        try:
            dialog.open()
            dialog.new_game(seed)
        except BaseException:
            self.close()
            raise

    def _start(self) -> Dialog:
        if self.protocol == "codingame":
            return CodingameDialog(self.command)
        if self.protocol == "unsw":
            return UnswDialog(self.command, self._seed)
        return UgiDialog(self.command, self.board, self.settings)

    def choose(self, board: Board) -> str:
        """The program's move, which may be illegal. Raises ProgramError."""
        if self._dialog is None:
            self.new_game(self._seed)
        assert self._dialog is not None
        try:
            self._dialog.prepare(board)
            allowed = self._allowed()
            began = monotonic()
            self._dialog.ask(board, self.pace, self._left)
            move = self._dialog.read_move(board, began + allowed)
            spent = max(self._dialog.arrived() - began, 0.0)
            if spent > allowed:
                raise ProgramError("timeout", f"it took {spent:.3f} s")
            if self.pace.clock is not None:
                self._left += self.pace.clock.increment - spent
            self._moves += 1
            return move
        except ProgramError as error:
            self.close()
            if error.kind == "timeout":
                raise ProgramError("timeout", f"over {allowed:g} s: {error}") from None
            raise
        except BaseException:  # it is not known what the program does now
            self.close()
            raise

    def _allowed(self) -> float:
        """Seconds after which the move is too late."""
        if self.pace.clock is not None:
            return self._left
        if self.pace.time is not None:
            return forfeit_limit(self.pace.time)
        if self.protocol == "codingame":
            first = self._moves == 0
            return forfeit_limit(codingame.FIRST_SECONDS if first else codingame.SECONDS)
        if self.pace.depth is not None or self.pace.nodes is not None:
            return HUNG_SECONDS
        return forfeit_limit(1.0)

    def summary(self) -> str:
        """A line about the latest move; may be empty."""
        return self._dialog.summary() if self._dialog else ""

    def stop(self) -> None:
        """Asks the program to move at once; called from another thread than `choose`."""
        dialog = self._dialog
        if dialog is not None:
            with contextlib.suppress(ProgramError):
                dialog.stop()

    def kill(self) -> None:
        """Kills the program at once; called from another thread than `choose`, which then raises
        ProgramError."""
        dialog = self._dialog
        if dialog is not None:
            dialog.process.kill()

    def close(self) -> None:
        """Ends the program."""
        dialog, self._dialog = self._dialog, None
        if dialog is not None:
            dialog.close()
