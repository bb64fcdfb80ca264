"""What can be said of a Connect Four position without search, if the number of rows is even.

Both bounds follow one plan of the side that has just moved: it answers every move in the same
column, so it gets the upper cell of each pair. Columns that are out of step are answered in one
another, for there is an even number of them; which of their playable cells it gets is left open.
The plan *owns* the cells it is sure to get. The other side cannot use them, nor what lies above an
owned cell that wins; if it has no line left without them, it cannot win (after claimeven and the
odd threats of V. Allis, A Knowledge-based Approach of Connect-Four, 1988).
"""

from libc.stdint cimport uint64_t

from ttt_core.solvers.connect4.shape cimport Shape, has_four, playable, upward


# The second player has just moved; `wins` are its winning cells. Whether it keeps a draw at least
# and, if a `win` is wanted, wins in one of the `rows` at the latest: by answering on top of every
# move it owns the cells of even rows.
cdef inline bint claims_even(const Shape* shape, uint64_t first, uint64_t second, uint64_t wins,
                             uint64_t rows, bint win, int stride) noexcept nogil:
    cdef uint64_t discs = first | second
    cdef uint64_t owned = shape.even & ~discs & ~playable(shape, discs)
    cdef uint64_t taken = second | owned | upward(shape, wins & owned)
    return (not has_four(shape.board & ~taken, stride)
            and (not win or has_four(second | (owned & rows), stride)))


# The first player has just moved; `wins` are its winning cells, `threat` one of them in an odd row,
# not playable, or 0. Whether it wins there at the latest: it owns the cells of odd rows in that
# column and of even rows in the others, until the second player must play beneath the threat.
cdef inline bint keeps_odd(const Shape* shape, uint64_t first, uint64_t second, uint64_t wins,
                           uint64_t threat, int stride) noexcept nogil:
    cdef uint64_t discs = first | second
    cdef uint64_t top = upward(shape, threat) + threat
    cdef uint64_t column = top - (top >> shape.rows)
    cdef uint64_t owned = (shape.even ^ column) & ~discs & ~playable(shape, discs)
    cdef uint64_t taken = first | owned | upward(shape, threat | (wins & owned))
    return threat != 0 and not has_four(shape.board & ~taken, stride)
