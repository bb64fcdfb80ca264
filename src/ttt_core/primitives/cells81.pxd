"""Moves of a game on nine boards of nine cells: a move is 9 x board + cell.

A set of moves is two words: `low` holds boards 0-6 (bits 0-62), `high` boards 7 and 8 (bits 0-17).
"""

from libc.stdint cimport uint64_t

from ttt_core.primitives.bits cimport expect, lowest, nth_bit, popcount

ctypedef int Move

ctypedef struct MoveSet:
    uint64_t low
    uint64_t high


cdef inline MoveSet nothing() noexcept nogil:
    cdef MoveSet moves
    moves.low = 0
    moves.high = 0
    return moves


cdef inline bint some(MoveSet moves) noexcept nogil:
    return (moves.low | moves.high) != 0


cdef inline int count(MoveSet moves) noexcept nogil:
    return popcount(moves.low) + popcount(moves.high)


cdef inline bint has(MoveSet moves, Move move) noexcept nogil:
    if move < 63:
        return (moves.low >> move) & 1
    return (moves.high >> (move - 63)) & 1


# Removes the lowest move of a nonempty set and returns it.
cdef inline Move take(MoveSet* moves) noexcept nogil:
    cdef Move move
    expect(some(moves[0]))
    if moves.low:
        move = lowest(moves.low)
        moves.low &= moves.low - 1
    else:
        move = 63 + lowest(moves.high)
        moves.high &= moves.high - 1
    return move


# The n-th move of the set, counted from 0; the set has more than n moves.
cdef inline Move pick(MoveSet moves, int n) noexcept nogil:
    cdef int low = popcount(moves.low)
    expect(0 <= n < count(moves))
    if n < low:
        return lowest(nth_bit(moves.low, n))
    return 63 + lowest(nth_bit(moves.high, n - low))


# Adds the cells (9 bits) of one board.
cdef inline void add(MoveSet* moves, int board, uint64_t cells) noexcept nogil:
    if board < 7:
        moves.low |= cells << (9 * board)
    else:
        moves.high |= cells << (9 * (board - 7))
