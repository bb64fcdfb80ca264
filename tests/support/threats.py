"""Threat search of Qubic, slow and obvious, written from the rules alone.

Stones are the bits of a word: cell = 16 x level + 4 x row + column. A three is a line with three
stones of one side and an empty cell.
"""

from random import Random

from support.reference import lines_of

LINES = [sum(1 << cell for cell in line) for line in lines_of((4, 4, 4), 4)]
THROUGH = [[line for line in LINES if line >> cell & 1] for cell in range(64)]
BOARD = 2**64 - 1


def cells(stones: int) -> list[int]:
    return [cell for cell in range(64) if stones >> cell & 1]


def completions(side: int, other: int) -> int:
    """The cells that complete the threes of a side."""
    found = 0
    for line in LINES:
        if not line & other and (line & side).bit_count() == 3:
            found |= line & ~side
    return found


def wins_by_threats(mine: int, theirs: int, failed: set[tuple[int, int]] | None = None) -> bool:
    """Whether the side to move completes a line at once, or after moves that each make a three and
    leave one reply, while it blocks every three of the opponent."""
    failed = set() if failed is None else failed
    if completions(mine, theirs):
        return True
    blocks = completions(theirs, mine)
    if blocks.bit_count() > 1 or (mine, theirs) in failed:
        return False
    # Only a cell on a line with two stones of mine alone makes a three.
    twos = [line for line in LINES if not line & theirs and (line & mine).bit_count() == 2]
    gains = {cell for line in twos for cell in cells(line & ~mine)}
    for cell in gains & set(cells(blocks or BOARD)):
        after = mine | 1 << cell
        replies = 0
        for line in THROUGH[cell]:
            if not line & theirs and (line & after).bit_count() == 3:
                replies |= line & ~after
        if replies.bit_count() > 1 or wins_by_threats(after, theirs | replies, failed):
            return True
    failed.add((mine, theirs))
    return False


def is_winning_sequence(mine: int, theirs: int, sequence: list[int]) -> bool:
    """Whether a threat sequence wins by force: each gain makes a three and blocks the opponent's if
    there is one, each reply is forced, the last gain makes two threes. One cell alone must complete
    a line."""
    if len(sequence) == 1:
        return bool(completions(mine, theirs) >> sequence[0] & 1)
    while True:
        blocks = completions(theirs, mine)
        if completions(mine, theirs) or blocks & ~(1 << sequence[0]):
            return False
        if (mine | theirs) >> sequence[0] & 1:
            return False
        mine |= 1 << sequence[0]
        replies = completions(mine, theirs)
        if len(sequence) == 3:
            return sequence[1] != sequence[2] and all(replies >> cell & 1 for cell in sequence[1:])
        if replies != 1 << sequence[1]:
            return False
        theirs |= 1 << sequence[1]
        sequence = sequence[2:]


def greedy_position(random: Random, plies: int, noise: float) -> tuple[int, int]:
    """Stones of the side to move and of the opponent after greedy play: each side blocks a three or
    else takes the cell of the highest worth, plus noise. The side to move cannot win at once."""
    while True:
        sides = [0, 0]
        for ply in range(plies):
            mine, theirs = sides[ply % 2], sides[1 - ply % 2]
            if completions(mine, theirs):
                break
            free = cells(completions(theirs, mine) or BOARD & ~(mine | theirs))
            values = {cell: worth(mine, theirs, cell) + noise * random.random() for cell in free}
            sides[ply % 2] = mine | 1 << max(free, key=lambda cell: values[cell])
        else:
            mine, theirs = sides[plies % 2], sides[1 - plies % 2]
            if not completions(mine, theirs):
                return mine, theirs


def worth(mine: int, theirs: int, cell: int) -> float:
    """Sum of (1 + stones)^2 over the lines through a cell on which only one side has stones."""
    found = 0
    for line in THROUGH[cell]:
        if not (line & mine and line & theirs):
            found += (1 + (line & (mine | theirs)).bit_count()) ** 2
    return found
