# Perft: the number of move sequences of an exact length.
#
# Needs: Rules State Undo MoveSet Move; moves won enter leave; some take.
#
# The counts travel in registers, the last ply has a loop of its own, and the depth is a literal
# where that is possible: together worth a factor of 2.3 (bench/RESULTS.md).

from libc.stdint cimport uint8_t, uint64_t

from ttt_core.interrupt cimport interrupted

cdef enum:
    QUIET_DEPTH = 4           # subtrees of at most this depth are counted without a look for Ctrl-C
    POLL_NODES = 1 << 22      # leaves between two looks

ctypedef struct Count:
    uint64_t nodes            # sequences of exactly the depth asked for
    uint64_t won              # those whose last move wins

ctypedef struct Poll:
    uint64_t nodes            # since the last look
    bint stopped              # by a signal, whose exception is set


# The leaves one ply below an undecided state: each is entered and tested.
cdef inline Count leaves(const Rules* rules, State* state) noexcept nogil:
    cdef MoveSet rest = moves(rules, state)
    cdef Undo room
    cdef Move move
    cdef Count count
    count.nodes = count.won = 0
    while some(rest):
        move = take(&rest)
        count.won += won(rules, enter(rules, state, move, &room))
        count.nodes += 1
        leave(rules, state, move, &room)
    return count


# The leaves `depth` >= 2 plies below an undecided state.
cdef Count perft(const Rules* rules, State* state, int depth) noexcept nogil:
    cdef MoveSet rest = moves(rules, state)
    cdef Undo room
    cdef State* child
    cdef Move move
    cdef Count count, below
    count.nodes = count.won = 0
    while some(rest):
        move = take(&rest)
        child = enter(rules, state, move, &room)
        if not won(rules, child):
            below = leaves(rules, child) if depth == 2 else perft(rules, child, depth - 1)
            count.nodes += below.nodes
            count.won += below.won
        leave(rules, state, move, &room)
    return count


# The leaves `depth` >= 1 plies below an undecided state; looks for Ctrl-C now and then.
cdef Count polled_perft(const Rules* rules, State* state, int depth, Poll* poll) noexcept nogil:
    cdef MoveSet rest
    cdef Undo room
    cdef State* child
    cdef Move move
    cdef Count count, below
    if depth == 1:
        return leaves(rules, state)
    if depth <= QUIET_DEPTH:
        # A literal depth lets the compiler give every remaining depth code of its own.
        if depth == QUIET_DEPTH:
            count = perft(rules, state, QUIET_DEPTH)
        else:
            count = perft(rules, state, depth)
        poll.nodes += count.nodes
        if poll.nodes >= POLL_NODES:
            poll.nodes = 0
            poll.stopped = interrupted()
        return count
    count.nodes = count.won = 0
    rest = moves(rules, state)
    while some(rest) and not poll.stopped:
        move = take(&rest)
        child = enter(rules, state, move, &room)
        if not won(rules, child):
            below = polled_perft(rules, child, depth - 1, poll)
            count.nodes += below.nodes
            count.won += below.won
        leave(rules, state, move, &room)
    return count
