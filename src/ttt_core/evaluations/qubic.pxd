"""The evaluations of Qubic, for the side to move.

    none               0
    default            each line open to one side counts 1, 6 or 30 for one, two or three stones
    one-ten-hundred    each line, open or not, counts 1, 10 or 100 for one, two or three stones of
                       a side: mine less theirs
"""

from libc.stdint cimport int16_t, uint64_t

from ttt_core.primitives.bits cimport popcount
from ttt_core.primitives.lines cimport list_lines
from ttt_core.primitives.scores cimport clipped
from ttt_core.games.qubic cimport Rules, State

cdef enum:
    NONE, DEFAULT, ONE_TEN_HUNDRED, EVALUATIONS
    LEARNED_WEIGHTS = 0

ctypedef struct Weights:
    uint64_t line[76]
    int worth[5][5]        # by the stones of the side to move and of the other
    int one_ten_hundred[5]


cdef inline void prepare_weights(Weights* weights, const Rules* rules,
                                 const int16_t* learned) noexcept nogil:
    cdef int[5] open_worth = [0, 1, 6, 30, 0]
    cdef int[5] ten = [0, 1, 10, 100, 0]
    cdef int i, j
    list_lines(&rules.lines, weights.line)
    for i in range(5):
        weights.one_ten_hundred[i] = ten[i]
        for j in range(5):
            weights.worth[i][j] = 0 if i and j else open_worth[i] - open_worth[j]


cdef inline int evaluate(const Rules* rules, const Weights* weights, const State* state, int which,
                         bint mine_is_max) noexcept nogil:
    cdef int i, mine, theirs, found = 0
    if which == NONE:
        return 0
    for i in range(76):
        mine = popcount(weights.line[i] & state.mine)
        theirs = popcount(weights.line[i] & state.theirs)
        if which == ONE_TEN_HUNDRED:
            found += weights.one_ten_hundred[mine] - weights.one_ten_hundred[theirs]
        else:
            found += weights.worth[mine][theirs]
    return clipped(found)
