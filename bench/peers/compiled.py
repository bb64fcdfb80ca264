"""Tic-tac-toe and Connect Four for numba, as fast as we could write them: bitboards, line tests by
table or shifts, everything compiled.

A position is (mine, theirs) for tic-tac-toe, bit i the cell i in reading order, and (mine, discs)
for Connect Four, columns of seven bits from the left with the lowest disc first.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np

F = TypeVar("F", bound=Callable[..., Any])
WON_BIT = 40
"""A count of leaves has the number of won leaves from this bit on."""
WIN = 32_000
BOTTOM = sum(1 << 7 * column for column in range(7))
BOARD = BOTTOM * 63
ROWS = (0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)
LINED = np.array([any(cells & row == row for row in ROWS) for cells in range(512)])


def compiled(function: F) -> F:
    return cast("F", numba.njit(function, cache=False))


@compiled
def four(discs: int) -> bool:
    upright = discs & (discs >> 1)
    falling = discs & (discs >> 6)
    along = discs & (discs >> 7)
    rising = discs & (discs >> 8)
    return (
        (upright & (upright >> 2))
        | (falling & (falling >> 12))
        | (along & (along >> 14))
        | (rising & (rising >> 16))
    ) != 0


@compiled
def small_leaves(mine: int, theirs: int, depth: int) -> int:
    count, rest = 0, 511 & ~(mine | theirs)
    while rest:
        move = rest & -rest
        rest ^= move
        won = LINED[mine | move]
        if depth == 1:
            count += 1 + (int(won) << WON_BIT)
        elif not won:
            count += small_leaves(theirs, mine | move, depth - 1)
    return count


@compiled
def four_leaves(mine: int, discs: int, depth: int) -> int:
    count, rest = 0, (discs + BOTTOM) & BOARD
    while rest:
        move = rest & -rest
        rest ^= move
        won = four(mine | move)
        if depth == 1:
            count += 1 + (int(won) << WON_BIT)
        elif not won:
            count += four_leaves(mine ^ discs, discs | move, depth - 1)
    return count


@compiled
def drawn(rest: int, seed: int) -> int:
    """A random bit of a set, chosen by 32 random bits."""
    count, left = 0, rest
    while left:
        left &= left - 1
        count += 1
    for _ in range((seed * count) >> 32):
        rest &= rest - 1
    return rest & -rest


@compiled
def next_seed(seed: int) -> int:
    seed ^= (seed << 13) & 0xFFFFFFFF
    seed ^= seed >> 17
    return seed ^ ((seed << 5) & 0xFFFFFFFF)


@compiled
def small_playouts(games: int, seed: int) -> int:
    """Random games from the empty board: wins of x minus wins of o."""
    total = 0
    for _ in range(games):
        mine, theirs, side = 0, 0, 1
        while mine | theirs != 511:
            seed = next_seed(seed)
            mine |= drawn(511 & ~(mine | theirs), seed)
            if LINED[mine]:
                total += side
                break
            mine, theirs, side = theirs, mine, -side
    return total


@compiled
def four_playouts(games: int, seed: int) -> int:
    total = 0
    for _ in range(games):
        mine, discs, side = 0, 0, 1
        while discs != BOARD:
            seed = next_seed(seed)
            move = drawn((discs + BOTTOM) & BOARD, seed)
            if four(mine | move):
                total += side
                break
            mine, discs, side = mine ^ discs, discs | move, -side
    return total


@compiled
def small_search(
    mine: int, theirs: int, depth: int, ply: int, alpha: int, beta: int, nodes: Any
) -> int:
    """Alpha-beta as in `ttt.minimax_search`: fail-soft, moves in ascending order, no evaluation."""
    best, rest = -WIN, 511 & ~(mine | theirs)
    while rest:
        move = rest & -rest
        rest ^= move
        nodes[0] += 1
        if LINED[mine | move]:
            value = WIN - ply - 1
        elif depth == 1 or mine | theirs | move == 511:
            value = 0
        else:
            low = max(alpha, best)
            value = -small_search(theirs, mine | move, depth - 1, ply + 1, -beta, -low, nodes)
        best = max(best, value)
        if best >= beta:
            break
    return best


@compiled
def four_search(
    mine: int, discs: int, depth: int, ply: int, alpha: int, beta: int, nodes: Any
) -> int:
    best, rest = -WIN, (discs + BOTTOM) & BOARD
    while rest:
        move = rest & -rest
        rest ^= move
        nodes[0] += 1
        if four(mine | move):
            value = WIN - ply - 1
        elif depth == 1 or discs | move == BOARD:
            value = 0
        else:
            low = max(alpha, best)
            value = -four_search(mine ^ discs, discs | move, depth - 1, ply + 1, -beta, -low, nodes)
        best = max(best, value)
        if best >= beta:
            break
    return best


@compiled
def small_root(mine: int, theirs: int, depth: int, nodes: Any) -> int:
    """The best value, with a full window for every root move, as in `ttt.minimax_search`."""
    best, rest = -WIN, 511 & ~(mine | theirs)
    while rest:
        move = rest & -rest
        rest ^= move
        nodes[0] += 1
        if LINED[mine | move]:
            value = WIN - 1
        elif depth == 1 or mine | theirs | move == 511:
            value = 0
        else:
            value = -small_search(theirs, mine | move, depth - 1, 1, -WIN, WIN, nodes)
        best = max(best, value)
    return best


@compiled
def four_root(mine: int, discs: int, depth: int, nodes: Any) -> int:
    best, rest = -WIN, (discs + BOTTOM) & BOARD
    while rest:
        move = rest & -rest
        rest ^= move
        nodes[0] += 1
        if four(mine | move):
            value = WIN - 1
        elif depth == 1 or discs | move == BOARD:
            value = 0
        else:
            value = -four_search(mine ^ discs, discs | move, depth - 1, 1, -WIN, WIN, nodes)
        best = max(best, value)
    return best


LEAVES: dict[str, Any] = {"tictactoe": small_leaves, "connect4": four_leaves}
PLAYOUTS: dict[str, Any] = {"tictactoe": small_playouts, "connect4": four_playouts}
ROOTS: dict[str, Any] = {"tictactoe": small_root, "connect4": four_root}


def position(game: str, numbers: list[int]) -> tuple[int, int]:
    """The two words after some moves."""
    mine = other = 0
    for number in numbers:
        if game == "tictactoe":
            mine, other = other, mine | 1 << number
        else:
            column = 127 << 7 * number
            move = (other + BOTTOM) & column
            mine, other = mine ^ other, other | move
    return mine, other
