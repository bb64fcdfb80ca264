"""Chains of threes in Qubic once more, slow and obvious: written from the rules alone.

Stones are the bits of a word, cell = 16 x level + 4 x row + column.
"""

from random import Random

from support.reference import lines_of

LINES = [sum(1 << cell for cell in line) for line in lines_of((4, 4, 4), 4)]
THROUGH = [[line for line in LINES if line >> cell & 1] for cell in range(64)]
BOARD = 2**64 - 1


def cells(stones: int) -> list[int]:
    return [cell for cell in range(64) if stones >> cell & 1]


def completions(side: int, other: int) -> int:
    """The cells that complete a line of a side."""
    found = 0
    for line in LINES:
        if not line & other and (line & side).bit_count() == 3:
            found |= line & ~side
    return found


def wins_by_threes(mine: int, theirs: int, failed: set[tuple[int, int]] | None = None) -> bool:
    """Whether the side to move completes a line at once, or after moves that each make a three and
    leave one reply, while it stops every three of the other side."""
    failed = set() if failed is None else failed
    if completions(mine, theirs):
        return True
    stops = completions(theirs, mine)
    if stops.bit_count() > 1 or (mine, theirs) in failed:
        return False
    # Only a cell on a line with two stones of mine alone makes a three.
    twos = [line for line in LINES if not line & theirs and (line & mine).bit_count() == 2]
    gains = {cell for line in twos for cell in cells(line & ~mine)}
    for cell in gains & set(cells(stops or BOARD)):
        after = mine | 1 << cell
        replies = 0
        for line in THROUGH[cell]:
            if not line & theirs and (line & after).bit_count() == 3:
                replies |= line & ~after
        if replies.bit_count() > 1 or wins_by_threes(after, theirs | replies, failed):
            return True
    failed.add((mine, theirs))
    return False


def follow(mine: int, theirs: int, chain: list[int]) -> bool:
    """Whether a chain wins by force: each move makes a three and stops the other side's if there is
    one, each reply is the only one, the last move makes two threes."""
    if len(chain) == 1:
        return bool(completions(mine, theirs) >> chain[0] & 1)
    while True:
        stops = completions(theirs, mine)
        if completions(mine, theirs) or stops & ~(1 << chain[0]):
            return False
        if (mine | theirs) >> chain[0] & 1:
            return False
        mine |= 1 << chain[0]
        replies = completions(mine, theirs)
        if len(chain) == 3:
            return chain[1] != chain[2] and all(replies >> cell & 1 for cell in chain[1:])
        if replies != 1 << chain[1]:
            return False
        theirs |= 1 << chain[1]
        chain = chain[2:]


def greedy_position(random: Random, plies: int, noise: float) -> tuple[int, int]:
    """The stones of the side to move and of the other after play that wins and blocks at once, and
    otherwise takes the cell with the best lines, give or take some noise. Nobody has won."""
    while True:
        sides = [0, 0]
        for ply in range(plies):
            mine, theirs = sides[ply % 2], sides[1 - ply % 2]
            if completions(mine, theirs):
                break
            free = cells(completions(theirs, mine) or BOARD & ~(mine | theirs))
            worths = {cell: worth(mine, theirs, cell) + noise * random.random() for cell in free}
            sides[ply % 2] = mine | 1 << max(free, key=lambda cell: worths[cell])
        else:
            mine, theirs = sides[plies % 2], sides[1 - plies % 2]
            if not completions(mine, theirs):
                return mine, theirs


def worth(mine: int, theirs: int, cell: int) -> float:
    """What a cell's lines are worth: (1 + stones)^2 of a line that at most one side is on."""
    found = 0
    for line in THROUGH[cell]:
        if not (line & mine and line & theirs):
            found += (1 + (line & (mine | theirs)).bit_count()) ** 2
    return found
