"""Nine-board written from the rules alone, to check its solver.

`value` searches to the end; `verify` plays a strategy against every reply. Both are slow and share
no code with the core. The rules are themselves checked against `reference.py`.
"""

from collections.abc import Callable, Iterator
from itertools import product

LINES = [0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124]
LINED = [any(line & cells == line for line in LINES) for cells in range(512)]
FULL = 511


class Position:
    """Stones of x and of o, nine bits per board; `board` is the board in force, None for any."""

    def __init__(self, full_draws: bool = False) -> None:
        self.full_draws = full_draws
        self.stones = [[0] * 9, [0] * 9]
        self.board: int | None = None
        self.side = 0
        self.over = False
        self.winner: int | None = None
        self.path: list[tuple[int, int | None]] = []

    def empty(self, board: int) -> int:
        return FULL & ~(self.stones[0][board] | self.stones[1][board])

    def moves(self) -> Iterator[int]:
        """The legal moves, 9 x board + cell."""
        if self.over:
            return
        boards = range(9) if self.board is None else [self.board]
        for board, cell in product(boards, range(9)):
            if self.empty(board) >> cell & 1:
                yield 9 * board + cell

    def play(self, move: int) -> None:
        board, cell = divmod(move, 9)
        if move not in self.moves():
            raise ValueError(f"illegal move {move}")
        self.path.append((move, self.board))
        self.stones[self.side][board] |= 1 << cell
        if LINED[self.stones[self.side][board]]:
            self.over, self.winner = True, self.side
        elif self.empty(cell):
            self.board = cell
        elif self.full_draws or not any(map(self.empty, range(9))):
            self.over = True
        else:
            self.board = None
        self.side = 1 - self.side

    def undo(self) -> None:
        move, self.board = self.path.pop()
        self.side = 1 - self.side
        self.stones[self.side][move // 9] ^= 1 << move % 9
        self.over, self.winner = False, None

    def key(self) -> tuple[object, ...]:
        return (*self.stones[0], *self.stones[1], self.board, self.side)


def value(position: Position, known: dict[tuple[object, ...], int]) -> int:
    """1, 0 or -1 for the side to move, by exhaustive search; `known` caches values."""
    if position.over:
        return 0 if position.winner is None else -1
    key = position.key()
    if key in known:
        return known[key]
    best = -1
    side = position.side
    moves = list(position.moves())
    # Winning moves first: the order changes the work, not the value.
    moves.sort(key=lambda move: not LINED[position.stones[side][move // 9] | 1 << move % 9])
    for move in moves:
        position.play(move)
        best = max(best, -value(position, known))
        position.undo()
        if best == 1:
            break
    known[key] = best
    return best


def verify(position: Position, winner: int, choose: Callable[[list[int]], int]) -> int:
    """Plays a strategy of the winner against every legal reply. `choose` returns the winner's move,
    given the moves since the first position. Returns the number of positions visited. Raises
    AssertionError at the first game that does not end in a win."""
    played: list[int] = []
    seen: set[tuple[object, ...]] = set()

    def walk() -> None:
        if position.over:
            assert position.winner == winner, f"not won after {position.path}"
            return
        key = position.key()
        if key in seen:
            return
        seen.add(key)
        mine = position.side == winner
        for move in [choose(played)] if mine else list(position.moves()):
            position.play(move)
            played.append(move)
            walk()
            played.pop()
            position.undo()

    walk()
    return len(seen)
