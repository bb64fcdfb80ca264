# Perft: the number of move sequences of an exact length.
#
# Needs: Rules State Undo MoveSet Move; moves won enter leave; count some take.
#
# The counts travel in registers, the last ply has a loop of its own, and the depth is a literal
# where that is possible: together worth a factor of 2.3 (bench/RESULTS.md).

from libc.stdint cimport uint8_t, uint64_t

from ttt_core.runtime.signals cimport interrupted

cdef enum:
    QUIET_DEPTH = 6           # subtrees counted without a look for Ctrl-C are at most so deep,
    WIDE_QUIET_DEPTH = 3      # or this if their root has more than nine moves
    POLL_NODES = 1 << 20      # leaves between two looks,
    QUIET_COST = 1 << 12      # with so many for a subtree that may have none at its depth

ctypedef struct Count:
    uint64_t nodes            # sequences of exactly the depth asked for
    uint64_t won              # those whose last move wins

ctypedef struct Poll:
    uint64_t nodes            # since the last look
    bint stopped              # by a signal, whose exception is set


# The leaves one ply below an undecided state: each is entered and tested.
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


# The leaves `depth` >= 2 plies below an undecided state.
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


# The leaves `depth` >= 1 plies below an undecided state; looks for Ctrl-C now and then.
cdef Count polled_perft(const Rules* rules, State* state, int depth, Poll* poll) noexcept nogil:
    cdef MoveSet rest = moves(rules, state)
    cdef Undo undo
    cdef State* child
    cdef Move move
    cdef Count total, below
    if depth == 1:
        return leaves(rules, state)
    if depth <= QUIET_DEPTH and (depth <= WIDE_QUIET_DEPTH or count(rest) <= 9):
        # A literal depth lets the compiler give every remaining depth code of its own.
        if depth == QUIET_DEPTH:
            total = perft(rules, state, QUIET_DEPTH)
        else:
            total = perft(rules, state, depth)
        poll.nodes += total.nodes + QUIET_COST
        if poll.nodes >= POLL_NODES:
            poll.nodes = 0
            poll.stopped = interrupted()
        return total
    total.nodes = total.won = 0
    while some(rest) and not poll.stopped:
        move = take(&rest)
        child = enter(rules, state, move, &undo)
        if not won(rules, child):
            below = polled_perft(rules, child, depth - 1, poll)
            total.nodes += below.nodes
            total.won += below.won
        leave(rules, state, move, &undo)
    return total
