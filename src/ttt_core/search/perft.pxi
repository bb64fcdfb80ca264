# Perft: the number of move sequences of an exact length.
#
# Needs: Rules State Undo MoveSet Move; moves won enter leave; count some take.
#
# Counts are returned in registers, the last ply has a loop of its own, and the depth is a literal
# where possible: together this is 2.3 times as fast (bench/RESULTS.md).

from libc.stdint cimport uint8_t, uint64_t

from ttt_core.runtime.limits cimport Limits, poll

cdef enum:
    UNPOLLED_DEPTH = 6        # the greatest depth of a subtree counted without polling,
    WIDE_UNPOLLED_DEPTH = 3   # or this if its root has more than nine moves
    POLL_LEAVES = 1 << 20     # leaves between two polls
    SUBTREE_LEAVES = 1 << 12  # counted for each subtree in addition: it may have no leaves

ctypedef struct Count:
    uint64_t nodes            # sequences of exactly the given depth
    uint64_t won              # those whose last move wins


# Counts the children of an undecided state.
cdef inline Count leaves(const Rules* rules, State* state) noexcept nogil:
    cdef MoveSet rest = moves(rules, state)
    cdef Undo undo
    cdef Move move
    cdef Count total
    total.nodes = total.won = 0
    while some(rest):
        move = take(&rest)
        total.won += won(rules, enter(rules, state, move, &undo))
        total.nodes += 1
        leave(rules, state, move, &undo)
    return total


# Counts the leaves `depth` >= 2 plies below an undecided state.
cdef Count perft(const Rules* rules, State* state, int depth) noexcept nogil:
    cdef MoveSet rest = moves(rules, state)
    cdef Undo undo
    cdef State* child
    cdef Move move
    cdef Count total, below
    total.nodes = total.won = 0
    while some(rest):
        move = take(&rest)
        child = enter(rules, state, move, &undo)
        if not won(rules, child):
            below = leaves(rules, child) if depth == 2 else perft(rules, child, depth - 1)
            total.nodes += below.nodes
            total.won += below.won
        leave(rules, state, move, &undo)
    return total


# Counts the leaves `depth` >= 1 plies below an undecided state. The limits are there for Ctrl-C;
# their `nodes` are leaves.
cdef Count polled_perft(const Rules* rules, State* state, int depth, Limits* limits) noexcept nogil:
    cdef MoveSet rest = moves(rules, state)
    cdef Undo undo
    cdef State* child
    cdef Move move
    cdef Count total, below
    if depth == 1:
        return leaves(rules, state)
    if depth <= UNPOLLED_DEPTH and (depth <= WIDE_UNPOLLED_DEPTH or count(rest) <= 9):
        # A literal depth lets the compiler specialise the code for every remaining depth.
        if depth == UNPOLLED_DEPTH:
            total = perft(rules, state, UNPOLLED_DEPTH)
        else:
            total = perft(rules, state, depth)
        limits.nodes += total.nodes + SUBTREE_LEAVES
        if limits.nodes >= limits.next_poll:
            poll(limits)
        return total
    total.nodes = total.won = 0
    while some(rest) and not limits.stopped:
        move = take(&rest)
        child = enter(rules, state, move, &undo)
        if not won(rules, child):
            below = polled_perft(rules, child, depth - 1, limits)
            total.nodes += below.nodes
            total.won += below.won
        leave(rules, state, move, &undo)
    return total
