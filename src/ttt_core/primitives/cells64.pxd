"""Moves of a game with at most 64 cells: a move is one bit of a word, a set of moves is a word."""

from libc.stdint cimport uint64_t

from ttt_core.primitives.bits cimport expect, nth_bit, popcount

ctypedef uint64_t Move
ctypedef uint64_t MoveSet


cdef inline MoveSet nothing() noexcept nogil:
    return 0


cdef inline bint some(MoveSet moves) noexcept nogil:
    return moves != 0


cdef inline int count(MoveSet moves) noexcept nogil:
    return popcount(moves)


cdef inline bint has(MoveSet moves, Move move) noexcept nogil:
    return (moves & move) != 0


# The moves that parry `threats`, the moves that would win at once for the other side: all moves if
# there is no threat, the blocking move against one, none against two.
cdef inline MoveSet replies(MoveSet moves, MoveSet threats) noexcept nogil:
    if threats == 0:
        return moves
    return 0 if threats & (threats - 1) else threats


# Removes the lowest move of a nonempty set and returns it.
cdef inline Move take(MoveSet* moves) noexcept nogil:
    cdef Move move = moves[0] & (0 - moves[0])
    expect(move != 0)
    moves[0] ^= move
    return move


# The n-th move of the set, counted from 0; the set has more than n moves.
cdef inline Move pick(MoveSet moves, int n) noexcept nogil:
    expect(0 <= n < popcount(moves))
    return nth_bit(moves, n)
