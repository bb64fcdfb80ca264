"""The server of the UNSW protocol: referees games of two agents, or of an agent and a player."""

import contextlib
from collections.abc import Callable
from random import Random
from time import monotonic
from typing import Any, Protocol, TypedDict

from ttt.board import Board
from ttt.notation import RESULTS
from ttt.protocols.clock import Clock
from ttt.protocols.connection import Connection
from ttt.protocols.unsw import CLOCK, GAME, OPTIONS, cell_of, move_in, request
from ttt_core.move import Move

OTHER = {"x": "o", "o": "x"}


class Forfeit(Exception):
    """A side lost; `cause` is timeout or illegal_move, the text says why."""

    def __init__(self, cause: str, text: str) -> None:
        super().__init__(text)
        self.cause = cause


class Seat(Protocol):
    """A player of the server's games."""

    name: str

    def tell(self, *messages: str) -> None:
        """Passes on messages that need no answer."""

    def start(self, seed: int) -> None:
        """Prepares for a game."""

    def move(self, board: Board, deadline: float) -> Move:
        """The move; raises Forfeit."""


class AgentSeat:
    """An agent that plays over a connection."""

    def __init__(self, name: str, connection: Connection) -> None:
        self.name = name
        self.connection = connection

    def tell(self, *messages: str) -> None:
        with contextlib.suppress(OSError):  # noticed when it should move
            self.connection.send(*messages)

    def start(self, seed: int) -> None:
        self.connection.lines.clear()

    def move(self, board: Board, deadline: float) -> Move:
        self.tell(request(board))
        try:
            answer = self.connection.read(deadline)
            while not answer:
                answer = self.connection.read(deadline)
        except TimeoutError:
            raise Forfeit("timeout", "no answer in time") from None
        except EOFError:
            raise Forfeit("timeout", "disconnected") from None
        if answer not in tuple("123456789"):
            raise Forfeit("illegal_move", f"{answer[:40]!r} is not a cell, 1-9")
        return move_in(board, answer)


class PlayerSeat:
    """An object with `choose(board)` that plays in this process."""

    def __init__(self, name: str, player: Any) -> None:
        self.name = name
        self.player = player

    def tell(self, *messages: str) -> None:
        pass

    def start(self, seed: int) -> None:
        if hasattr(self.player, "new_game"):
            self.player.new_game(seed)

    def move(self, board: Board, deadline: float) -> Move:
        try:
            return board.parse_move(self.player.choose(board.copy()))
        except KeyboardInterrupt:
            raise
        except Exception as error:
            raise Forfeit("illegal_move", f"{type(error).__name__}: {error}") from None


class RefereedGame(TypedDict):
    """A finished game."""

    game: int
    x: str
    o: str
    moves: str
    result: str
    cause: str
    """triple, full_board, timeout or illegal_move."""
    error: str
    """Why a side lost by timeout or illegal_move; otherwise empty."""


def referee(
    number: int,
    seats: dict[str, Seat],
    first: str,
    clock: Clock = CLOCK,
    log: Callable[[str], None] = lambda line: None,
) -> RefereedGame:
    """Plays a game that begins with the move `first`, which x did not choose."""
    board = Board(GAME, **OPTIONS)
    left = dict.fromkeys("xo", clock.initial - clock.increment)
    log(f"game {number}: x is {seats['x'].name}, o is {seats['o'].name}")
    for side in "xo":
        seats[side].start(2 * number + (side == "o"))
        seats[side].tell(f"start({side}).")
    board.push(first)
    log(f"{1:>3}. x {first}  (chosen by the server)")
    error, cause, winner = "", "", None
    while not board.is_game_over():
        side = board.turn
        left[side] += clock.increment
        began = monotonic()
        try:
            move = seats[side].move(board, began + left[side])
            left[side] -= monotonic() - began
            if left[side] < 0:
                raise Forfeit("timeout", "no time left")
            if not board.is_legal(move):
                raise Forfeit("illegal_move", board.why_illegal(move))
        except Forfeit as forfeit:
            error, cause, winner = f"{side}: {forfeit}", forfeit.cause, OTHER[side]
            log(f"     {error}")
            break
        board.push(move)
        spent = monotonic() - began
        log(f"{board.ply:>3}. {side} {move}  {1000 * spent:.0f} ms, {left[side]:.1f} s left")
    outcome = board.outcome()
    if outcome is not None:
        winner = outcome.winner
        cause = "full_board" if winner is None else "triple"
        seats[board.turn].tell(f"last_move({cell_of(board.peek())}).")
    for side in "xo":
        result = "draw" if winner is None else "win" if winner == side else "loss"
        seats[side].tell(f"{result}({cause}).")
    log(f"game {number}: {f'{winner} wins' if winner else 'draw'} ({cause})")
    return {
        "game": number,
        "x": seats["x"].name,
        "o": seats["o"].name,
        "moves": " ".join(board.moves),
        "result": RESULTS[winner],
        "cause": cause,
        "error": error,
    }


def first_move(number: int, seed: int) -> str:
    """The random first move of a game."""
    random = Random(f"{seed}/first/{number}")
    return f"{random.randrange(1, 10)} {random.randrange(1, 10)}"
