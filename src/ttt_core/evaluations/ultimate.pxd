"""The evaluations of ultimate, for the side to move.

    none            0
    default         learned from self-play (`ultimate_network.pxd`): 100 times the log-odds that
                    the side to move wins
    open-lines      the open lines of each undecided board, times the lines of boards through it;
                    20 times the latter for an owned board; 12 and 60 for open lines of one and two
                    owned boards
    two-in-a-row    1 for each open two on an undecided board, 10 for each open two of owned boards
"""

from libc.stdint cimport int16_t, uint8_t

from ttt_core.primitives.nine cimport PATTERNS, line_weights, open_lines, pattern
from ttt_core.primitives.scores cimport clipped
from ttt_core.games.ultimate cimport Rules, State, closed, owned
from ttt_core.evaluations.network cimport SCALE, UNITS, Accumulator
from ttt_core.evaluations.ultimate_network cimport ROWS, Network, evaluate_network, load_weights

cdef enum:
    NONE, DEFAULT, OPEN_LINES, TWO_IN_A_ROW, EVALUATIONS
    LEARNED_WEIGHTS = ROWS * UNITS

ctypedef struct Weights:
    Network network                # first: its rows are aligned if the struct is
    int16_t twos[PATTERNS]         # open twos of one board, mine less theirs
    int16_t lines[PATTERNS]        # open lines: 1 for one stone, 5 for two
    uint8_t lines_through[9]       # of each cell of a board: 3 corner, 2 edge, 4 centre


cdef inline void prepare_weights(Weights* weights, const Rules* rules,
                                 const int16_t* learned) noexcept nogil:
    cdef uint8_t[9] through = [3, 2, 3, 2, 4, 2, 3, 2, 3]
    cdef int i
    line_weights(&rules.nine, weights.twos, 0, 1)
    line_weights(&rules.nine, weights.lines, 1, 5)
    for i in range(9):
        weights.lines_through[i] = through[i]
    load_weights(&weights.network, &rules.nine, learned)


# The open lines of owned boards, mine less theirs. A drawn board blocks lines for both sides.
cdef inline int boards_worth(const Rules* rules, const State* state, int one,
                             int two) noexcept nogil:
    cdef int mine = owned(state, state.side)
    cdef int theirs = owned(state, 1 - state.side)
    cdef int dead = closed(state) & ~(mine | theirs)
    return (open_lines(&rules.nine, mine, theirs | dead, one, two)
            - open_lines(&rules.nine, theirs, mine | dead, one, two))


# The evaluation of a position; faster if the accumulator's last position is similar.
cdef inline int evaluate_near(const Rules* rules, const Weights* weights, const State* state,
                              int which, bint mine_is_max, Accumulator* near) noexcept nogil:
    if which == DEFAULT:
        return clipped(evaluate_network(&weights.network, rules, state, near) * 100 // SCALE)
    return evaluate(rules, weights, state, which, mine_is_max)


cdef inline int evaluate(const Rules* rules, const Weights* weights, const State* state, int which,
                         bint mine_is_max) noexcept nogil:
    cdef Accumulator near
    cdef int side = state.side
    cdef int board, number, found = 0
    cdef int decided = closed(state) | owned(state, 0) | owned(state, 1)
    if which == NONE:
        return 0
    if which == DEFAULT:
        near.row[0] = NULL
        return evaluate_near(rules, weights, state, DEFAULT, mine_is_max, &near)
    for board in range(9):
        if decided >> board & 1:
            continue
        number = pattern(&rules.nine, state.stones[side][board], state.stones[1 - side][board])
        if which == TWO_IN_A_ROW:
            found += weights.twos[number]
        else:
            found += weights.lines[number] * weights.lines_through[board]
    if which == TWO_IN_A_ROW:
        return found + boards_worth(rules, state, 0, 10)
    for board in range(9):
        if owned(state, side) >> board & 1:
            found += 20 * weights.lines_through[board]
        elif owned(state, 1 - side) >> board & 1:
            found -= 20 * weights.lines_through[board]
    return clipped(found + boards_worth(rules, state, 12, 60))
