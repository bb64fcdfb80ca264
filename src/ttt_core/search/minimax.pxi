# The textbook algorithms, minimax and alpha-beta, without refinements: for teaching, for counting
# nodes, and as oracles for the engine.
#
# Needs: Rules State Undo MoveSet Move; moves won no_moves_left final_result enter leave; some take;
# Weights evaluate; Counters last_ply.
#
# Both search to a fixed depth, score a win in n plies WIN - n, and try moves in ascending order.

from ttt_core.primitives.scores cimport WIN
from ttt_core.runtime.limits cimport Limits, poll

cdef enum:
    MINIMAX_POLL = 1 << 14   # nodes between two polls

ctypedef struct Minimax:
    const Rules* rules
    const Weights* weights
    int evaluation
    Counters counters
    Limits limits            # its `nodes` is that of the counters at the last poll


cdef void poll_minimax(Minimax* search) noexcept nogil:
    search.limits.nodes = search.counters.nodes
    poll(&search.limits)


# The value of a position for its side to move if the game is over; `known` is set to whether it is.
# `ply` plies have been played since the root.
cdef inline int leaf_value(Minimax* search, const State* state, int ply,
                           bint* known) noexcept nogil:
    cdef int result
    known[0] = True
    if won(search.rules, state):
        search.counters.terminal += 1
        return ply - WIN
    if no_moves_left(search.rules, state):
        search.counters.terminal += 1
        result = final_result(search.rules, state)
        return (WIN - ply) * result
    known[0] = False
    return 0


cdef inline int horizon_value(Minimax* search, const State* state, int ply) noexcept nogil:
    search.counters.horizon += 1
    return evaluate(search.rules, search.weights, state, search.evaluation, not ply & 1)


# Minimax without pruning; `state` is not over, `depth` at least 2.
cdef int deep_minimax(Minimax* search, State* state, int depth, int ply) noexcept nogil:
    cdef MoveSet rest = moves(search.rules, state)
    cdef int value, best = -WIN
    cdef Undo undo
    cdef State* child
    cdef Move move
    cdef bint known
    while some(rest):
        move = take(&rest)
        child = enter(search.rules, state, move, &undo)
        search.counters.nodes += 1
        value = -leaf_value(search, child, ply + 1, &known)
        if not known:
            value = -minimax(search, child, depth - 1, ply + 1)
        leave(search.rules, state, move, &undo)
        best = max(best, value)
        if search.counters.nodes >= search.limits.next_poll:
            poll_minimax(search)
        if search.limits.stopped:
            break
    return best


# Minimax without pruning; `state` is not over, `depth` at least 1.
cdef inline int minimax(Minimax* search, State* state, int depth, int ply) noexcept nogil:
    if depth > 1:
        return deep_minimax(search, state, depth, ply)
    return last_ply(search.rules, search.weights, state, search.evaluation, not ply & 1,
                    WIN - ply - 1, &search.counters)


# Alpha-beta; `state` is not over. The value is exact between alpha and beta, else a bound
# (fail-soft).
cdef int alphabeta(Minimax* search, State* state, int depth, int ply, int alpha,
                   int beta) noexcept nogil:
    cdef MoveSet rest = moves(search.rules, state)
    cdef int value, best = -WIN
    cdef Undo undo
    cdef State* child
    cdef Move move
    cdef bint known
    while some(rest):
        move = take(&rest)
        child = enter(search.rules, state, move, &undo)
        search.counters.nodes += 1
        value = -leaf_value(search, child, ply + 1, &known)
        if not known:
            if depth == 1:
                value = -horizon_value(search, child, ply + 1)
            else:
                value = -alphabeta(search, child, depth - 1, ply + 1, -beta, -max(alpha, best))
        leave(search.rules, state, move, &undo)
        best = max(best, value)
        if search.counters.nodes >= search.limits.next_poll:
            poll_minimax(search)
        if best >= beta or search.limits.stopped:
            break
    return best
