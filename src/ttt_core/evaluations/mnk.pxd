"""The evaluations of m,n,k, for the side to move.

    none       0
    default    each line open to one side counts for it: 1, 4, 16, ... up to 1,024 by its stones
"""

from libc.stdint cimport int16_t, uint64_t

from ttt_core.primitives.bits cimport popcount
from ttt_core.primitives.lines cimport list_lines
from ttt_core.primitives.scores cimport clipped
from ttt_core.games.mnk cimport Rules, State

cdef enum:
    NONE, DEFAULT, EVALUATIONS
    LEARNED_WEIGHTS = 0

ctypedef struct Weights:
    int lines
    uint64_t line[256]
    int worth[65]      # of an open line, by its stones


cdef inline void prepare_weights(Weights* weights, const Rules* rules,
                                 const int16_t* learned) noexcept nogil:
    cdef int i
    weights.lines = list_lines(&rules.lines, weights.line)
    for i in range(65):
        weights.worth[i] = 0 if i == 0 else 1 << min(2 * i - 2, 10)


cdef inline int evaluate(const Rules* rules, const Weights* weights, const State* state, int which,
                         bint mine_is_max) noexcept nogil:
    cdef int i, found = 0
    if which == NONE:
        return 0
    for i in range(weights.lines):
        if not weights.line[i] & state.theirs:
            found += weights.worth[popcount(weights.line[i] & state.mine)]
        elif not weights.line[i] & state.mine:
            found -= weights.worth[popcount(weights.line[i] & state.theirs)]
    return clipped(found)
