# The last ply of minimax: makes every move and evaluates it, for games without a faster way.
#
# Needs: Rules State Undo MoveSet Move; moves won no_moves_left final_result enter leave; some take;
# Weights evaluate; Counters count_children; WIN.


# The best evaluation of the children of a running game, for the side to move; a won game counts as
# `victory`. Counting in registers makes it twice as fast (bench/search.py).
cdef inline int last_ply(const Rules* rules, const Weights* weights, State* state, int which,
                         bint mine_is_max, int victory, Counters* counters) noexcept nogil:
    cdef MoveSet rest = moves(rules, state)
    cdef uint64_t nodes = 0, terminal = 0
    cdef Undo undo
    cdef State* child
    cdef Move move
    cdef int value, best = -WIN
    while some(rest):
        move = take(&rest)
        child = enter(rules, state, move, &undo)
        nodes += 1
        if won(rules, child):
            terminal += 1
            value = victory
        elif no_moves_left(rules, child):
            terminal += 1
            value = -victory * final_result(rules, child)
        else:
            value = -evaluate(rules, weights, child, which, not mine_is_max)
        leave(rules, state, move, &undo)
        best = max(best, value)
    count_children(counters, nodes, terminal)
    return best
