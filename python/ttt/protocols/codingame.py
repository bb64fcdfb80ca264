"""CodinGame's ultimate tic-tac-toe: turns on standard input, moves on standard output.

    turn = ROW COL   the opponent's move, or -1 -1 before the first move
           N         the number of legal moves
           ROW COL   N times: the legal moves
    answer = ROW COL

Rows and columns are those of the 9x9 board, 0-8. The rules are `ultimate:tie=boards`.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from ttt.board import Board
from ttt.limits import Limit
from ttt.protocols.thinker import Thinker
from ttt_core.errors import shorten
from ttt_core.move import Move

GAME, OPTIONS = "ultimate", {"tie": "boards"}
FIRST_SECONDS, SECONDS = 1.0, 0.1
"""The time for the first move and for each later one."""
USED = 0.75
"""The share of it that is spent on thinking."""

Cell = tuple[int, int]
"""Row and column."""
NO_CELL = (-1, -1)


def cell_of(move: Move) -> Cell:
    """Row and column of a move of ultimate."""
    board, cell = divmod(move.number, 9)
    return board // 3 * 3 + cell // 3, board % 3 * 3 + cell % 3


def move_at(board: Board, cell: Cell) -> Move:
    """The move of ultimate on a cell."""
    row, column = cell
    return board.ruleset.moves[(row // 3 * 3 + column // 3) * 9 + row % 3 * 3 + column % 3]


class Turn(NamedTuple):
    """What a program is told before a move."""

    opponent: Cell
    legal: list[Cell]

    def lines(self) -> list[str]:
        """The turn as a referee writes it."""
        cells = [self.opponent, *self.legal]
        texts = [f"{row} {column}" for row, column in cells]
        return [texts[0], str(len(self.legal)), *texts[1:]]


class TurnReader:
    """Collects lines into turns. After damaged lines it continues with the next whole turn: a line
    with one number follows the opponent's move and begins the list."""

    def __init__(self, complain: Callable[[str], None]) -> None:
        self._complain = complain
        self._last = NO_CELL
        self._opponent = NO_CELL
        self._legal: list[Cell] = []
        self._missing = 0

    def add(self, line: str) -> Turn | None:
        """The turn that this line completes, if it does."""
        words = line.split()
        numbers = [int(word) for word in words if _is_number(word)]
        if len(numbers) == len(words) == 1 and 1 <= numbers[0] <= 81:
            if self._missing:
                self._complain(f"{self._missing} legal moves are missing")
            self._opponent, self._legal, self._missing = self._last, [], numbers[0]
            return None
        cell = (numbers[0], numbers[1]) if len(numbers) == len(words) == 2 else None
        if cell is None or not (cell == NO_CELL or all(0 <= number <= 8 for number in cell)):
            if words:
                self._complain(f"ignored {shorten(line.strip())}: expected ROW COL or a number")
            return None
        self._last = cell
        if not self._missing or cell == NO_CELL:
            return None
        self._legal.append(cell)
        self._missing -= 1
        return None if self._missing else Turn(self._opponent, self._legal)


def _is_number(word: str) -> bool:
    return word.removeprefix("-").isdecimal() and word.isascii() and len(word) < 4


class CodingameSession:
    """The program's side. `complain` is called with a line about whatever was wrong."""

    def __init__(self, thinker: Thinker, complain: Callable[[str], None]) -> None:
        self.board = Board(GAME, **OPTIONS)
        self._thinker = thinker
        self._complain = complain
        self._turns = TurnReader(complain)
        self._first = True

    def run(self, lines: Iterable[str], write: Callable[[str], None]) -> None:
        """Answers turns until the lines end."""
        for line in lines:
            answer = self.answer(line)
            if answer is not None:
                write(answer)

    def answer(self, line: str) -> str | None:
        """The move, if this line completes a turn. It is always one of the listed moves."""
        turn = self._turns.add(line)
        if turn is None:
            return None
        if self._follow(turn):
            limit = Limit(time=USED * (FIRST_SECONDS if self._first else SECONDS))
            move = self.board.parse_move(self._thinker.choose(self.board.copy(), limit))
            self.board.push(move)
            cell = cell_of(move)
        else:
            self._complain("the legal moves do not fit the moves so far: playing the first of them")
            cell = turn.legal[0]
        self._first = False
        return f"{cell[0]} {cell[1]}"

    def _follow(self, turn: Turn) -> bool:
        """Brings the board to the position of the turn, in this game or in a new one; False if
        the listed moves are not those of either."""
        fresh = Board(GAME, **OPTIONS)
        for board in (fresh,) if turn.opponent == NO_CELL else (self.board.copy(), fresh):
            if turn.opponent != NO_CELL:
                move = move_at(board, turn.opponent)
                if not board.is_legal(move):
                    continue
                board.push(move)
            if sorted(map(cell_of, board.legal_moves)) == sorted(turn.legal):
                if board.ply < 2:
                    self._first = True
                    self._thinker.new_game()
                self.board = board
                return True
        return False
