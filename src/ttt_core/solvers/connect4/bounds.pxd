"""Static bounds of Connect Four positions on boards with an even number of rows.

Both bounds let the side that has just moved play *follow-up*: it answers every move in the same
column, so it gets the upper cell of each pair. That is the rule Claimeven of V. Allis (A
Knowledge-based Approach of Connect-Four, 1988), applied to all columns at once. The playable cells
of columns that are out of step are even in number and are answered by one another, as in his rule
Baseinverse; which of them the side gets is left open.

The side *owns* the cells it is sure to get. The opponent can use neither these nor the cells above
an owned cell that wins. If no line is left to the opponent, it cannot win.
"""

from libc.stdint cimport uint64_t

from ttt_core.solvers.connect4.layout cimport Layout, has_four, playable, upward


# Claimeven. The second player has just moved; `wins` are its winning cells. True: it has a draw at
# least. With `want_win` true only if it also completes a line from its discs and owned cells of
# `rows` (Allis's rule Aftereven), and so wins in one of these rows at the latest.
cdef inline bint claimeven_holds(const Layout* layout, uint64_t first, uint64_t second,
                                 uint64_t wins, uint64_t rows, bint want_win,
                                 int stride) noexcept nogil:
    cdef uint64_t discs = first | second
    cdef uint64_t owned = layout.even & ~discs & ~playable(layout, discs)
    cdef uint64_t denied = second | owned | upward(layout, wins & owned)
    return (not has_four(layout.board & ~denied, stride)
            and (not want_win or has_four(second | (owned & rows), stride)))


# Zugzwang. The first player has just moved; `wins` are its winning cells, `threat` is one of them
# in an odd row, not playable, or 0. True: it wins there at the latest. It owns the cells of odd
# rows in the threat's column and of even rows in the others, until the second player has to play
# beneath the threat (the odd threat of Allis's chapter on zugzwang).
cdef inline bint odd_threat_wins(const Layout* layout, uint64_t first, uint64_t second,
                                 uint64_t wins, uint64_t threat, int stride) noexcept nogil:
    cdef uint64_t discs = first | second
    cdef uint64_t top = upward(layout, threat) + threat
    cdef uint64_t column = top - (top >> layout.rows)
    cdef uint64_t owned = (layout.even ^ column) & ~discs & ~playable(layout, discs)
    cdef uint64_t denied = first | owned | upward(layout, threat | (wins & owned))
    return threat != 0 and not has_four(layout.board & ~denied, stride)
