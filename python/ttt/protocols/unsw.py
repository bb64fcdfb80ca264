"""The nine-board protocol of a UNSW course, over TCP: the messages and the agent.

The server sends one message per line, the agent answers with the cell of its move, 1-9:

    init.                   the connection is ready
    start(S).               a new game; the agent plays S, x or o
    second_move(K,L).       x began on board K in cell L; the agent, o, answers
    third_move(K,L,M).      the agent, x, was made to begin with K,L; o replied M; it answers
    next_move(M).           the opponent played M; the agent answers
    last_move(M).           the opponent played M, which ended the game
    win(C). loss(C). draw(C).
                            the result; C is triple, timeout, illegal_move or full_board
    end.                    the agent leaves

The rules are `nineboard:full=draw`. The server chooses the first move.
"""

import re
from collections.abc import Callable, Iterable
from time import monotonic

from ttt.board import Board
from ttt.protocols.clock import Clock, limit_for_move, moves_left
from ttt.protocols.thinker import Thinker
from ttt_core.errors import BadNotation, shorten
from ttt_core.move import Move

GAME, OPTIONS = "nineboard", {"full": "draw"}
PORT = 31_415
CLOCK = Clock(30.0, 2.0)
OVERHEAD = 0.1
"""Seconds kept for the network."""

ARGUMENTS = {
    "init": 0, "start": 1, "second_move": 2, "third_move": 3, "next_move": 1, "last_move": 1,
    "win": 1, "loss": 1, "draw": 1, "end": 0,
}  # fmt: skip
"""The messages of the server and the number of their arguments."""
CAUSES = ("triple", "timeout", "illegal_move", "full_board")
MESSAGE = re.compile(r"([a-z_]+)(?:\(([a-z0-9_,]*)\))?\.", re.ASCII)


def parse_message(text: str) -> tuple[str, list[str]]:
    """The name and the arguments of a message; raises BadNotation."""
    text = "".join(text.split())
    match = MESSAGE.fullmatch(text)
    name = match[1] if match else ""
    given = match[2].split(",") if match and match[2] else []
    valid = len(given) == ARGUMENTS.get(name, -1)
    if valid and name == "start":
        valid = given[0] in ("x", "o")
    elif valid and name in ("win", "loss", "draw"):
        valid = given[0] in CAUSES
    elif valid:
        valid = all(part in "123456789" and len(part) == 1 for part in given)
    if not valid:
        raise BadNotation(f"unknown message {shorten(text)}")
    return name, given


def cell_of(move: Move) -> str:
    """The cell of a move of nineboard, 1-9."""
    return str(move.number % 9 + 1)


def move_in(board: Board, cell: str) -> Move:
    """The move on the board in force; raises BadNotation if any board may be played."""
    in_force = board.picture()[1]
    if not isinstance(in_force, int):
        raise BadNotation(f"cell {cell}: no board is in force")
    return board.ruleset.moves[9 * in_force + int(cell) - 1]


def request(board: Board) -> str:
    """The message that asks the side to move for its move; the position must have moves."""
    moves = board.moves
    first = moves[0].replace(" ", ",")
    if len(moves) == 1:
        return f"second_move({first})."
    last = cell_of(moves[-1])
    return f"third_move({first},{last})." if len(moves) == 2 else f"next_move({last})."


class UnswAgent:
    """The agent's side. `complain` is called with a line about whatever was wrong."""

    def __init__(
        self,
        thinker: Thinker,
        complain: Callable[[str], None],
        clock: Clock = CLOCK,
    ) -> None:
        self._thinker = thinker
        self._complain = complain
        self._clock = clock
        self._new_game()

    def _new_game(self) -> None:
        self.board = Board(GAME, **OPTIONS)
        self._left = self._clock.initial - self._clock.increment
        """Seconds, without those of the next move."""

    def run(self, lines: Iterable[str], write: Callable[[str], None]) -> None:
        """Answers messages until `end.` or the end of the lines."""
        for line in lines:
            for message in line.split():
                if message == "end.":
                    return
                answer = self.answer(message)
                if answer is not None:
                    write(answer)

    def answer(self, message: str) -> str | None:
        """The cell to play, if the message asks for a move."""
        began = monotonic()
        try:
            name, given = parse_message(message)
            if name == "start":
                self._thinker.new_game()
                self._new_game()
            elif name in ("second_move", "third_move"):
                board = Board(GAME, **OPTIONS)
                board.push(f"{given[0]} {given[1]}")
                if name == "third_move":
                    board.push(move_in(board, given[2]))
                self.board = board
            elif name in ("next_move", "last_move"):
                self.board.push(move_in(self.board, given[0]))
            if not name.endswith("_move") or name == "last_move" or self.board.is_game_over():
                return None
        except ValueError as error:
            self._complain(f"ignored {shorten(message)}: {error}")
            return None
        self._left += self._clock.increment
        increment, moves = self._clock.increment, moves_left(self.board)
        limit = limit_for_move(self._left, increment, moves, OVERHEAD)
        move = self.board.parse_move(self._thinker.choose(self.board.copy(), limit))
        self.board.push(move)
        self._left -= monotonic() - began
        return cell_of(move)
