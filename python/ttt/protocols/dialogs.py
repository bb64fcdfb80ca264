"""The referee's side of the protocols: how a program is started and asked for moves."""

import contextlib
import socket
from random import Random
from time import monotonic
from typing import ClassVar, NamedTuple

from ttt.board import Board
from ttt.protocols import codingame, unsw
from ttt.protocols.clock import Clock
from ttt.protocols.connection import Connection, listen
from ttt.protocols.moves import token
from ttt.protocols.process import Process, ProgramError
from ttt_core.errors import BadNotation, shorten
from ttt_core.move import Move

START_SECONDS = 30.0
"""For a program to start, or to get ready for a game."""
POLL_SECONDS = 0.05


class Pace(NamedTuple):
    """The limits of a program: seconds per move, a clock, plies or nodes."""

    time: float | None = None
    clock: Clock | None = None
    depth: int | None = None
    nodes: int | None = None


class Dialog:
    """A program, started by the constructor. `open` waits until it is ready, `prepare` brings it to
    a position, `ask` requests its move and `read_move` waits for it; each raises ProgramError."""

    process: Process

    def open(self) -> None:
        """Waits until the program has started; called once."""

    def new_game(self, seed: int) -> bool:
        """Prepares for a game; False if the program must be started again."""
        return False

    def prepare(self, board: Board) -> None:
        """Tells the program the position."""

    def ask(self, board: Board, pace: Pace, left: float) -> None:
        """Requests a move; `left` is what the clock shows."""

    def read_move(self, board: Board, deadline: float) -> str:
        """The program's move, legal or not, at the latest at a time of `monotonic`."""
        raise NotImplementedError

    def arrived(self) -> float:
        """When the move that was read came, a time of `monotonic`."""
        return self.process.lines.arrived

    def summary(self) -> str:
        """A line about the latest move; may be empty."""
        return ""

    def stop(self) -> None:
        """Asks for the move at once, if the protocol can."""

    def close(self) -> None:
        """Ends the program."""
        self.process.close()


# --- UGI -----------------------------------------------------------------------------------------


class UgiDialog(Dialog):
    """`settings` are sent by setoption, and the options of the game if the program has them."""

    def __init__(self, command: list[str], board: Board, settings: dict[str, str]) -> None:
        self.process = Process(command)
        self._board = board
        self._settings = settings
        self._info = ""

    def open(self) -> None:
        self.process.send("ugi")
        known = set()
        while (line := self._read_soon()) != "ugiok":
            words = line.split()
            if words[:2] == ["option", "name"] and "type" in words:
                known.add(" ".join(words[2 : words.index("type")]).lower())
        options = self._board.options.items()
        rules = {name: str(value) for name, value in options if name.lower() in known}
        for name, value in {**rules, **self._settings}.items():
            self.process.send(f"setoption name {name} value {value}")
        self._wait_ready()

    def _read_soon(self) -> str:
        return self.process.read(monotonic() + START_SECONDS)

    def _wait_ready(self) -> None:
        self.process.send("isready")
        while self._read_soon() != "readyok":
            pass

    def new_game(self, seed: int) -> bool:
        self.process.send("uginewgame")
        self._wait_ready()
        return True

    def prepare(self, board: Board) -> None:
        root = "startpos" if board.is_from_start() else f"fen {board.root().text()}"
        moves = " ".join(map(token, board.moves))
        self.process.send(f"position {root}{f' moves {moves}' if moves else ''}")
        self._wait_ready()

    def ask(self, board: Board, pace: Pace, left: float) -> None:
        self._info = ""
        if pace.clock is not None:
            clock, increment = max(1, int(1000 * left)), round(1000 * pace.clock.increment)
            limit = f"p1time {clock} p2time {clock} p1inc {increment} p2inc {increment}"
        elif pace.depth is not None:
            limit = f"depth {pace.depth}"
        elif pace.nodes is not None:
            limit = f"nodes {pace.nodes}"
        else:
            limit = f"movetime {max(1, round(1000 * (pace.time or 1.0)))}"
        self.process.send(f"go {limit}")

    def read_move(self, board: Board, deadline: float) -> str:
        while True:
            line = self.process.read(deadline)
            words = line.split()
            if words[:1] == ["bestmove"]:
                return " ".join(words[1:2])
            if words[:1] == ["info"] and "pv" in words:
                self._info = line

    def summary(self) -> str:
        return self._info

    def stop(self) -> None:
        self.process.send("stop")

    def close(self) -> None:
        with contextlib.suppress(ProgramError):
            self.process.send("quit")
        self.process.close(patience=0.5)


# --- protocols that tell only the opponent's moves -----------------------------------------------


class SequentialDialog(Dialog):
    """A program that is told only the opponent's moves: it must see a game from its beginning."""

    protocol = ""
    beginnings: ClassVar[dict[str, tuple[int, ...]]] = {"x": (0,), "o": (1,)}
    """The numbers of moves after which each side can begin."""
    _expected: list[Move] | None = None
    """The moves that the program knows, with its own last one; None: the game is new."""

    def prepare(self, board: Board) -> None:
        moves = list(board.moves)
        if self._expected is None:
            if not board.is_from_start() or len(moves) not in self.beginnings[board.turn]:
                raise ProgramError(
                    "exception",
                    f"protocol={self.protocol} plays games from the first move only, without"
                    " openings",
                )
        elif moves[:-1] != self._expected:
            raise ProgramError("exception", f"protocol={self.protocol} cannot take back moves")

    def remember(self, board: Board, move: Move | None) -> None:
        """Notes the program's move; an illegal one ends the game anyway."""
        self._expected = [*board.moves, *([move] if move else [])]


class CodingameDialog(SequentialDialog):
    protocol = "codingame"

    def __init__(self, command: list[str]) -> None:
        self.process = Process(command)

    def ask(self, board: Board, pace: Pace, left: float) -> None:
        opponent = codingame.cell_of(board.peek()) if board.moves else codingame.NO_CELL
        turn = codingame.Turn(opponent, [codingame.cell_of(move) for move in board.legal_moves])
        self.process.send(*turn.lines())

    def read_move(self, board: Board, deadline: float) -> str:
        answer = self.process.read(deadline)
        words = answer.split()
        if not (len(words) >= 2 and all(word in tuple("012345678") for word in words[:2])):
            raise BadNotation(f"{shorten(answer)} is not a move: expected ROW COL, 0-8 each")
        move = codingame.move_at(board, (int(words[0]), int(words[1])))
        self.remember(board, move)
        return move


class UnswDialog(SequentialDialog):
    """Starts the agent with `-p PORT`, or with the port in place of {port}. As x, the first move is
    the server's: a random one."""

    protocol = "unsw"
    beginnings: ClassVar[dict[str, tuple[int, ...]]] = {"x": (0, 2), "o": (1,)}

    def __init__(self, command: list[str], seed: int) -> None:
        self._random = Random(f"{seed}/first")
        self._server = listen("127.0.0.1", 0)
        port = str(self._server.getsockname()[1])
        words = [word.replace("{port}", port) for word in command]
        try:
            self.process = Process([*words, *(["-p", port] if words == command else [])])
        except BaseException:
            self._server.close()
            raise

    def open(self) -> None:
        with self._server:
            self.connection = Connection(self._accept(self._server))
        self.connection.send("init.")

    def _accept(self, server: socket.socket) -> socket.socket:
        server.settimeout(POLL_SECONDS)
        deadline = monotonic() + START_SECONDS
        while monotonic() < deadline:
            with contextlib.suppress(TimeoutError):
                return server.accept()[0]
            if not self.process.running():
                raise self.process.failure("crash", self.process.status())
        raise self.process.failure("timeout", f"no connection within {START_SECONDS:g} s")

    def ask(self, board: Board, pace: Pace, left: float) -> None:
        lines = [f"start({board.turn})."] if self._expected is None else []
        if board.moves:
            lines.append(unsw.request(board))
        try:
            self.connection.send(*lines)
        except OSError:
            raise self._lost() from None

    def _lost(self) -> ProgramError:
        status = self.process.status()
        return self.process.failure(
            "crash", "it disconnected" if self.process.running() else status
        )

    def read_move(self, board: Board, deadline: float) -> str:
        if not board.moves:
            first = self._random.choice(board.legal_moves)
            self.remember(board, first)
            return first
        try:
            answer = self.connection.read(deadline)
        except TimeoutError:
            raise self.process.failure("timeout", "no answer in time") from None
        except EOFError:
            raise self._lost() from None
        if answer not in tuple("123456789"):
            raise BadNotation(f"{shorten(answer)} is not a cell, 1-9")
        move = unsw.move_in(board, answer)
        self.remember(board, move)
        return move

    def arrived(self) -> float:
        return self.connection.lines.arrived

    def close(self) -> None:
        self._server.close()
        connected = hasattr(self, "connection")
        if connected:
            with contextlib.suppress(OSError):
                self.connection.send("end.")
        self.process.close(patience=0.5 if connected else 0.0)
        if connected:
            self.connection.close()
