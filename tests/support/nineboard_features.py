"""An independent implementation of the features of nine-board's networks, from the descriptions in
`evaluations/nineboard_network.pxd` and `solvers/nineboard/network.pxd`. Slow; tests compare the
core with it."""

from collections.abc import Iterable
from functools import cache
from itertools import product

from support.nineboard_check import FULL, LINED, LINES, Position
from ttt import Board

GROUPS = {  # the number of rows of each group, in their order
    "stones": 162, "wins": 162, "unsafe": 162, "threat": 18, "trap": 18, "forced": 18,
    "filled": 18, "force stones": 18, "force wins": 18, "safe": 9, "making": 9, "to trap": 9,
    "to forced": 9, "force": 10, "safes": 10, "makings": 10, "joint": 36, "stage": 41,
    "force class": 581, "class": 9 * 581,
}  # fmt: skip
ROWS = sum(GROUPS.values())


def cells(held: int) -> list[int]:
    return [cell for cell in range(9) if held >> cell & 1]


def completing(mine: int, empty: int) -> list[int]:
    """The cells that complete a line."""
    return [cell for cell in cells(empty) if LINED[mine | 1 << cell]]


def shape(mine: int, theirs: int) -> tuple[int, ...]:
    """The counts in which small boards of one class agree."""
    empty = FULL & ~(mine | theirs)
    pairs = [line for line in LINES if (line & empty).bit_count() == 2]
    return (
        len(completing(mine, empty)),
        len(completing(theirs, empty)),
        sum(line & mine != 0 for line in pairs),
        sum(line & theirs != 0 for line in pairs),
        sum(line & empty == line for line in LINES),
        empty.bit_count(),
    )


@cache
def board_classes() -> dict[tuple[int, ...], int]:
    """The classes, numbered in the order in which they are met."""
    found: dict[tuple[int, ...], int] = {}
    for mine, theirs in product(range(512), repeat=2):
        if not mine & theirs and not LINED[mine] and not LINED[theirs]:
            found.setdefault(shape(mine, theirs), len(found))
    return found


class Features:
    """The rows of a position in the engine's network."""

    def __init__(self, position: Position) -> None:
        self.rows: list[int] = []
        self.position, self.room = position, [position.empty(board) for board in range(9)]
        self.stones = [position.stones[position.side ^ other] for other in (0, 1)]
        self.open = [board for board in range(9) if self.room[board]]
        self.wins = [
            [completing(stones[board], self.room[board]) for board in range(9)]
            for stones in self.stones
        ]
        self.threat = [{board for board in range(9) if wins[board]} for wins in self.wins]
        self.left = [
            [[c for c in cells(self.room[b]) if c not in self.threat[1 - side]] for b in range(9)]
            for side in (0, 1)
        ]

    def add(self, group: str, numbers: Iterable[int]) -> None:
        first = 0
        for name, size in GROUPS.items():
            if name == group:
                break
            first += size
        self.rows += [first + number for number in numbers]

    def cornered(self, side: int, left: int) -> list[int]:
        """The boards without a threat that have `left` cells which are not unsafe."""
        free = [board for board in self.open if board not in self.threat[side]]
        return [board for board in free if len(self.left[side][board]) == left]

    def add_side(self, side: int) -> None:
        stones, wins = self.stones[side], self.wins[side]
        for b in self.open:
            self.add("stones", (81 * side + 9 * b + cell for cell in cells(stones[b])))
            self.add("wins", (81 * side + 9 * b + cell for cell in wins[b]))
            unsafe = set(cells(self.room[b])) & self.threat[1 - side]
            self.add("unsafe", (81 * side + 9 * cell + b for cell in unsafe))
        self.add("threat", (9 * side + board for board in self.threat[side]))
        self.add("trap", (9 * side + board for board in self.cornered(side, 0)))
        self.add("forced", (9 * side + board for board in self.cornered(side, 1)))

    def add_force(self, force: int) -> None:
        position, mover = self.position, self.position.side
        safe, making = [], []
        for move in list(position.moves()):
            position.play(move)
            replies = [(reply // 9, reply % 9) for reply in position.moves()]
            theirs = position.stones[1 - mover]
            if not any(LINED[theirs[board] | 1 << cell] for board, cell in replies):
                safe.append(move % 9)
                if completing(position.stones[mover][force], position.empty(force)):
                    making.append(move % 9)
            position.undo()
        for side in (0, 1):
            self.add("force stones", (9 * side + c for c in cells(self.stones[side][force])))
            self.add("force wins", (9 * side + c for c in self.wins[side][force]))
        self.add("safe", safe)
        self.add("making", making)
        self.add("to trap", set(safe) & set(self.cornered(1, 0)))
        self.add("to forced", set(safe) & set(self.cornered(1, 1)))
        self.add("safes", [len(safe)])
        self.add("makings", [len(making)])
        self.add("force class", [self.board_class(force)])

    def board_class(self, board: int) -> int:
        return board_classes()[shape(self.stones[0][board], self.stones[1][board])]

    def all(self) -> list[int]:
        position = self.position
        for side in (0, 1):
            self.add_side(side)
        full = [board for board in range(9) if not self.room[board]]
        self.add("filled", (9 * position.full_draws + board for board in full))
        if position.board is not None:
            self.add_force(position.board)
        self.add("force", [9 if position.board is None else position.board])
        mine, theirs = (min(len(threat), 5) for threat in self.threat)
        self.add("joint", [6 * mine + theirs])
        self.add("stage", [sum(9 - room.bit_count() for room in self.room) // 2])
        for b in self.open:
            self.add("class", [581 * b + self.board_class(b)])
        return self.rows


def image_rows(board: Board) -> list[list[int]]:
    """The rows of each of the eight images of a position."""
    found = []
    for image in board.symmetries():
        position = Position(board.options["full"] == "draw")
        marks, force, _ = image.picture()
        for place, mark in enumerate(marks):
            if mark != ".":
                position.stones["xo".index(mark)][place // 9] |= 1 << place % 9
        position.side = board.ply % 2
        position.board = force if isinstance(force, int) else None
        found.append(Features(position).all())
    return found
