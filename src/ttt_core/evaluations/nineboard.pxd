"""What a position of nine-board is worth to the side to move.

    none            0
    default         20 for each board on which a side completes a line in one move, and 2 or 1 for
                    each line of two or one stones still open to it
    line-weights    10 for each line of two stones still open to a side, 5 for each of one
    two-in-a-row    1 for each board on which a side has two stones of a line, the third cell empty
"""

from libc.stdint cimport int16_t

from ttt_core.bits cimport popcount
from ttt_core.games.nineboard cimport Rules, State
from ttt_core.nine cimport PATTERNS, line_weights, pattern
from ttt_core.scores cimport clipped

cdef enum:
    NONE, DEFAULT, LINE_WEIGHTS, TWO_IN_A_ROW, EVALUATIONS

ctypedef struct Weights:
    int16_t lines[PATTERNS]


cdef inline void prepare_weights(Weights* weights, const Rules* rules) noexcept nogil:
    line_weights(&rules.nine, weights.lines, 5, 10)


cdef inline int evaluate(const Rules* rules, const Weights* weights, const State* state, int which,
                         bint mine_is_max) noexcept nogil:
    cdef int side = state.fore.side
    cdef int board, found = 0
    cdef int threats = (popcount(state.fore.threats[side])
                        - popcount(state.fore.threats[1 - side]))
    if which == NONE:
        return 0
    if which == TWO_IN_A_ROW:
        return threats
    for board in range(9):
        found += weights.lines[pattern(
            &rules.nine, state.stones[side][board], state.stones[1 - side][board])]
    if which == LINE_WEIGHTS:
        return found
    return clipped(20 * threats + found // 5)
