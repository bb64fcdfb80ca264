"""Many positions of one game at once, as numpy arrays: for training and labelling.

>>> from ttt.batch import Batch
>>> batch = Batch("connect4", 1024)
>>> while not batch.over.all():
...     batch.step(batch.random_moves(seed=batch.plies))
>>> batch.winner.shape, batch.marks.shape, batch.legal.shape
((1024,), (1024, 42), (1024, 7))

`batch.reset(batch.over)` restarts finished games. A move is its number: the index into
`batch.moves`, the same as `move.number`. All arrays have one row per position:

    legal       bool (size, moves)    the moves that can be played
    marks       int8 (size, cells)    1 x, -1 o, 0 empty, in reading order
    in_force    int8 (size,)          the board in force, 0-8; 9 any; 10 none
    turn        int8 (size,)          1 x, -1 o
    over        bool (size,)          whether the game has ended
    winner      int8 (size,)          1 x, -1 o, 0 nobody (so far)
    keys        uint64 (size,)        equal positions have equal keys

Needs numpy (`pip install "ttt-engine[batch]"`).
"""

from collections.abc import Iterable
from typing import Any

try:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
except ImportError as error:
    raise ImportError('ttt.batch needs numpy: pip install "ttt-engine[batch]"') from error

from ttt.board import Board, board_class
from ttt_core.errors import IllegalMove
from ttt_core.move import Move


class Batch:
    """`size` games from their first position: `Batch("mnk", 256, m=4, n=4, k=3)`."""

    def __init__(self, game: str, size: int, **options: Any) -> None:
        self.start = board_class(game)(**options)
        self.core = self.start.batch_type(self.start.ruleset, size)
        self.size = size
        self.plies = 0
        """The number of steps played."""

    @classmethod
    def of(cls, boards: Iterable[Board]) -> "Batch":
        """A batch of the positions of boards, all of one game with the same options."""
        listed = list(boards)
        if not listed:
            raise ValueError("boards=[]: expected at least one board")
        batch = cls(listed[0].game, len(listed), **listed[0].options)
        for i, board in enumerate(listed):
            if board.game != batch.start.game:
                raise ValueError(f"board {i} is {board.game}, but the batch is {batch.start.game}")
            batch.core.put(i, board)
        return batch

    def board(self, i: int) -> Board:
        """Position `i` as a board, without history."""
        board = self.start.copy()
        self.core.get(i, board)
        return board

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves of the game in the order of their numbers."""
        return self.start.ruleset.moves

    def step(self, moves: ArrayLike) -> None:
        """Plays a move in every position; -1 leaves a position as it is. If a move is illegal, none
        is played."""
        chosen = np.asarray(moves)
        if chosen.shape != (self.size,) or chosen.dtype.kind not in "iu":
            raise ValueError(
                f"moves: expected {self.size} whole numbers, not {chosen.dtype} of shape"
                f" {chosen.shape}"
            )
        if chosen.dtype != np.int32:  # clipped numbers stay out of range
            chosen = np.clip(chosen, -2, len(self.moves)).astype(np.int32)
        wrong = self.core.step(np.array(chosen, order="C"))
        if wrong >= 0:
            if not 0 <= chosen[wrong] < len(self.moves):
                raise IllegalMove(
                    f"position {wrong}: expected a move from 0 to {len(self.moves) - 1}, or -1"
                )
            move = self.moves[chosen[wrong]]
            raise IllegalMove(f"position {wrong}: {self.board(wrong).why_illegal(move)}")
        self.plies += 1

    def reset(self, which: ArrayLike) -> None:
        """Restarts the games marked True: `batch.reset(batch.over)`."""
        chosen = np.asarray(which)
        if chosen.shape != (self.size,) or chosen.dtype != np.bool_:
            raise ValueError(
                f"which: expected {self.size} bools, not {chosen.dtype} of shape {chosen.shape}"
            )
        self.core.reset(np.ascontiguousarray(chosen))

    def random_moves(self, seed: int) -> NDArray[np.int32]:
        """A random legal move for every position; -1 where the game is over."""
        found = np.empty(self.size, np.int32)
        self.core.draw(found, seed)
        return found

    def playouts(self, games: int, seed: int) -> NDArray[np.float64]:
        """The mean result for x of `games` random games from each position: 1 won, -1 lost."""
        found = np.empty(self.size, np.int32)
        self.core.playouts(found, games, seed)
        return found / games

    @property
    def legal(self) -> NDArray[np.bool_]:
        found = np.empty((self.size, len(self.moves)), np.bool_)
        self.core.legal(found)
        return found

    @property
    def marks(self) -> NDArray[np.int8]:
        return self._picture()[0]

    @property
    def in_force(self) -> NDArray[np.int8]:
        return self._picture()[1]

    @property
    def turn(self) -> NDArray[np.int8]:
        return self.results()[2]

    @property
    def over(self) -> NDArray[np.bool_]:
        return self.results()[0]

    @property
    def winner(self) -> NDArray[np.int8]:
        return self.results()[1]

    @property
    def keys(self) -> NDArray[np.uint64]:
        found = np.empty(self.size, np.uint64)
        self.core.keys(found)
        return found

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.start.options.items())
        return f"Batch({self.start.game!r}, {self.size}{options})"

    def _picture(self) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        marks = np.empty((self.size, len(self.start.marks)), np.int8)
        boards = np.empty(self.size, np.int8)
        self.core.marks(marks, boards)
        return marks, boards

    def results(self) -> tuple[NDArray[np.bool_], NDArray[np.int8], NDArray[np.int8]]:
        """(over, winner, turn): the arrays of these names in one call."""
        over, (winner, turn) = np.empty(self.size, np.bool_), np.empty((2, self.size), np.int8)
        self.core.results(over, winner, turn)
        return over, winner, turn
