# The two algorithms of the textbooks, honest and without tricks: for teaching, for counting, and
# as oracles for the engine.
#
# Needs: Rules State Undo MoveSet Move; moves won no_moves_left final_result enter leave; some take;
# Weights evaluate; interrupted of perft.pxi; Counters last_ply.
#
# Both see `depth` plies far, score a win in n plies WIN - n, and take moves in ascending order.

from ttt_core.runtime.clock cimport seconds
from ttt_core.runtime.atomics cimport load_flag
from ttt_core.primitives.scores cimport WIN

ctypedef struct Plain:
    const Rules* rules
    const Weights* weights
    int evaluation
    Counters counters
    uint64_t limit           # stop after so many nodes
    uint64_t poll            # look for Ctrl-C and the clock at this node
    double deadline          # in seconds; 0: none
    const int* stop          # set from outside
    bint stopped
    bint interrupted         # stopped by a signal, whose exception is set

cdef enum:
    PLAIN_POLL = 1 << 14     # nodes between two looks at the clock


# Looks at the limits; the search unwinds when `stopped`.
cdef void check_plain(Plain* plain) noexcept nogil:
    plain.poll = plain.counters.nodes + PLAIN_POLL
    if plain.deadline and seconds() >= plain.deadline or load_flag(plain.stop):
        plain.stopped = True
    elif interrupted():
        plain.stopped = plain.interrupted = True
    if plain.counters.nodes >= plain.limit:
        plain.stopped = True
    elif plain.poll > plain.limit:
        plain.poll = plain.limit


# The value of a position for its side to move; `ply` plies have been played since the root.
cdef inline int leaf_value(Plain* plain, const State* state, int ply, bint* known) noexcept nogil:
    cdef int result
    known[0] = True
    if won(plain.rules, state):
        plain.counters.terminal += 1
        return ply - WIN
    if no_moves_left(plain.rules, state):
        plain.counters.terminal += 1
        result = final_result(plain.rules, state)
        return (WIN - ply) * result
    known[0] = False
    return 0


cdef inline int horizon_value(Plain* plain, const State* state, int ply) noexcept nogil:
    plain.counters.horizon += 1
    return evaluate(plain.rules, plain.weights, state, plain.evaluation, not ply & 1)


# Minimax without pruning; `state` is not over, `depth` at least 2.
cdef int deep_minimax(Plain* plain, State* state, int depth, int ply) noexcept nogil:
    cdef MoveSet rest = moves(plain.rules, state)
    cdef int value, best = -WIN
    cdef Undo undo
    cdef State* child
    cdef Move move
    cdef bint known
    while some(rest):
        move = take(&rest)
        child = enter(plain.rules, state, move, &undo)
        plain.counters.nodes += 1
        value = -leaf_value(plain, child, ply + 1, &known)
        if not known:
            value = -minimax(plain, child, depth - 1, ply + 1)
        leave(plain.rules, state, move, &undo)
        best = max(best, value)
        if plain.counters.nodes >= plain.poll:
            check_plain(plain)
        if plain.stopped:
            break
    return best


# Minimax without pruning; `state` is not over, `depth` at least 1.
cdef inline int minimax(Plain* plain, State* state, int depth, int ply) noexcept nogil:
    if depth > 1:
        return deep_minimax(plain, state, depth, ply)
    return last_ply(plain.rules, plain.weights, state, plain.evaluation, not ply & 1, WIN - ply - 1,
                  &plain.counters)


# Alpha-beta; `state` is not over. Exact between the bounds, else a bound itself (fail-soft).
cdef int alphabeta(Plain* plain, State* state, int depth, int ply, int alpha,
                   int beta) noexcept nogil:
    cdef MoveSet rest = moves(plain.rules, state)
    cdef int value, best = -WIN
    cdef Undo undo
    cdef State* child
    cdef Move move
    cdef bint known
    while some(rest):
        move = take(&rest)
        child = enter(plain.rules, state, move, &undo)
        plain.counters.nodes += 1
        value = -leaf_value(plain, child, ply + 1, &known)
        if not known:
            if depth == 1:
                value = -horizon_value(plain, child, ply + 1)
            else:
                value = -alphabeta(plain, child, depth - 1, ply + 1, -beta, -max(alpha, best))
        leave(plain.rules, state, move, &undo)
        best = max(best, value)
        if plain.counters.nodes >= plain.poll:
            check_plain(plain)
        if best >= beta or plain.stopped:
            break
    return best
