"""The evaluations of nine-board, for the side to move.

    none            0
    default         learned from self-play (`nineboard_network.pxd`): 16 times the log-odds that
                    the side to move wins; OBVIOUS if it wins at once, -OBVIOUS if every move lets
                    the other side win at once
    line-weights    10 for each line of two stones still open to a side, 5 for each of one
    two-in-a-row    1 for each board on which a side has two stones of a line, the third cell empty
    threats         20 for each board on which a side completes a line in one move, and 2 or 1 for
                    each line of two or one stones still open to it
"""

from libc.stdint cimport int16_t, uint64_t

from ttt_core.primitives.bits cimport popcount
from ttt_core.primitives.cells81 cimport MoveSet, some, take
from ttt_core.primitives.lines cimport LineTable, table_lined
from ttt_core.primitives.nine cimport FULL, PATTERNS, line_weights, pattern
from ttt_core.primitives.scores cimport WIN, clipped
from ttt_core.runtime.counters cimport Counters, count_children
from ttt_core.games.nineboard cimport (
    Rules, State, Undo, enter, immediate, leave, moves, no_moves_left, safe, threats, won,
)
from ttt_core.evaluations.network cimport SCALE, UNITS, Accumulator
from ttt_core.evaluations.nineboard_network cimport ROWS, Network, evaluate_network, load_weights

cdef enum:
    NONE, DEFAULT, LINE_WEIGHTS, TWO_IN_A_ROW, THREATS, EVALUATIONS
    LEARNED_WEIGHTS = ROWS * UNITS
    OBVIOUS = 1000             # bound of the learned evaluation

ctypedef struct Weights:
    Network network            # first: its rows are aligned if the struct is
    int16_t lines[PATTERNS]


cdef inline void prepare_weights(Weights* weights, const Rules* rules,
                                 const int16_t* learned) noexcept nogil:
    line_weights(&rules.nine, weights.lines, 5, 10)
    load_weights(&weights.network, &rules.nine, learned)


cdef inline int evaluate_learned(const Rules* rules, const Weights* weights, const State* state,
                                 Accumulator* near) noexcept nogil:
    cdef int value
    if some(immediate(rules, state)):
        return OBVIOUS
    if not some(safe(rules, state)):
        return -OBVIOUS
    value = 16 * evaluate_network(&weights.network, rules, state, near)
    return max(-OBVIOUS, min(OBVIOUS, value // SCALE if value > 0 else -(-value // SCALE)))


# The weights of all open lines, mine less theirs.
cdef inline int weigh_lines(const Rules* rules, const Weights* weights,
                            const State* state) noexcept nogil:
    cdef int side = state.side
    cdef int board, found = 0
    for board in range(9):
        found += weights.lines[pattern(
            &rules.nine, state.stones[side][board], state.stones[1 - side][board])]
    return found


# A hand-made evaluation from two differences, mine less theirs: `lead`, of boards with a threat,
# and `lines`, of the weights of open lines.
cdef inline int blend(int which, int lead, int lines) noexcept nogil:
    if which == NONE:
        return 0
    if which == TWO_IN_A_ROW:
        return lead
    if which == LINE_WEIGHTS:
        return lines
    return clipped(20 * lead + lines // 5)


# The evaluation of a position; faster if the accumulator's last position is similar.
cdef inline int evaluate_near(const Rules* rules, const Weights* weights, const State* state,
                              int which, bint mine_is_max, Accumulator* near) noexcept nogil:
    if which == DEFAULT:
        return evaluate_learned(rules, weights, state, near)
    return evaluate(rules, weights, state, which, mine_is_max)


cdef inline int evaluate(const Rules* rules, const Weights* weights, const State* state, int which,
                         bint mine_is_max) noexcept nogil:
    cdef Accumulator near
    cdef int side = state.side
    if which == DEFAULT:
        near.row[0] = NULL
        return evaluate_learned(rules, weights, state, &near)
    return blend(
        which,
        popcount(threats(state, side)) - popcount(threats(state, 1 - side)),
        weigh_lines(rules, weights, state) if which in (THREATS, LINE_WEIGHTS) else 0)


# The best evaluation of the children by moves on one board; `all_lines` is the weight of all open
# lines before the move. A literal `which` keeps the choice out of the loop.
cdef inline int last_ply_on_board(const Rules* rules, const Weights* weights, const State* state,
                                  int board, int which, int all_lines, int victory,
                                  Counters* counters) noexcept nogil:
    cdef const LineTable* table = &rules.nine.table
    cdef int side = state.side
    cdef unsigned int before = state.stones[side][board]
    cdef unsigned int theirs = state.stones[1 - side][board]
    cdef unsigned int empty = FULL & ~(before | theirs)
    cdef unsigned int danger = table.wins[theirs]
    cdef unsigned int elsewhere = FULL ^ (1 << board)
    cdef unsigned int full = state.full
    cdef unsigned int rest = empty
    cdef unsigned int cell, mine, vacant
    cdef uint64_t nodes = 0, terminal = 0
    cdef int lines = all_lines - weights.lines[pattern(&rules.nine, before, theirs)]
    cdef int lead = (popcount(threats(state, side) & elsewhere)
                     - popcount(threats(state, 1 - side) & elsewhere))
    cdef int value, best = -WIN
    # A move that points to a full board ends the game: always, or only if all boards are full.
    if rest & (rest - 1) == 0:
        full |= 1 << board
    if not (rules.full_draws or full == FULL):
        full = 0
    while rest:
        cell = rest & (0 - rest)
        rest ^= cell
        mine = before | cell
        vacant = empty ^ cell
        nodes += 1
        if table_lined(table, mine):
            terminal += 1
            value = victory
        elif full & cell:
            terminal += 1
            value = 0
        else:
            value = blend(
                which, lead + ((table.wins[mine] & vacant) != 0) - ((danger & vacant) != 0),
                lines + weights.lines[pattern(&rules.nine, mine, theirs)])
        best = max(best, value)
    count_children(counters, nodes, terminal)
    return best


# The best learned evaluation of the children; every move is made.
cdef inline int last_ply_learned(const Rules* rules, const Weights* weights, const State* state,
                                 int victory, Counters* counters) noexcept nogil:
    cdef State child = state[0]
    cdef Accumulator near
    cdef MoveSet rest = moves(rules, state)
    cdef Undo undo
    cdef uint64_t nodes = 0, terminal = 0
    cdef int move, value, best = -WIN
    near.row[0] = NULL
    while some(rest):
        move = take(&rest)
        enter(rules, &child, move, &undo)
        nodes += 1
        value = 0
        if won(rules, &child):
            terminal += 1
            value = victory
        elif no_moves_left(rules, &child):
            terminal += 1
        else:
            value = -evaluate_learned(rules, weights, &child, &near)
        leave(rules, &child, move, &undo)
        best = max(best, value)
    count_children(counters, nodes, terminal)
    return best


# The best evaluation of the children of a running game, for the side to move; a won game counts as
# `victory`. The hand-made evaluations need no move to be made: only one board changes
# (bench/search.py).
cdef inline int last_ply(const Rules* rules, const Weights* weights, const State* state, int which,
                         bint mine_is_max, int victory, Counters* counters) noexcept nogil:
    cdef int board = state.board
    cdef int all_lines, best = -WIN
    if which == DEFAULT:
        return last_ply_learned(rules, weights, state, victory, counters)
    if which == TWO_IN_A_ROW and board < 9:
        return last_ply_on_board(rules, weights, state, board, TWO_IN_A_ROW, 0, victory, counters)
    all_lines = weigh_lines(rules, weights, state)
    if board < 9:
        return last_ply_on_board(rules, weights, state, board, which, all_lines, victory, counters)
    for board in range(9):
        best = max(best, last_ply_on_board(rules, weights, state, board, which, all_lines, victory,
                                           counters))
    return best
