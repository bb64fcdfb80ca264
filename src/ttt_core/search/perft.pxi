# Perft: the number of move sequences of an exact length.
#
# Needs: Rules State Undo MoveSet Move; moves won enter leave; count some take; BOARD_CELLS boards
# board_moves put unput.
#
# Moves are made without what only searches read. Counts are returned in registers, the last ply has
# a loop of its own, and the depth is a literal where possible.

from libc.stdint cimport uint8_t, uint64_t

from ttt_core.primitives.bits cimport lowest
from ttt_core.runtime.limits cimport Limits, poll

cdef enum:
    UNPOLLED_DEPTH = 6        # the greatest depth of a subtree counted without polling,
    WIDE_UNPOLLED_DEPTH = 3   # or this if its root has more than nine moves
    POLL_LEAVES = 1 << 20     # leaves between two polls
    SUBTREE_LEAVES = 1 << 12  # counted for each subtree in addition: it may have no leaves

ctypedef struct Count:
    uint64_t nodes            # sequences of exactly the given depth
    uint64_t won              # those whose last move wins


# Counts the children of an undecided state. Every move is made, and its win test evaluated. On a
# small board all cells are tried: a loop over the empty ones would end unpredictably.
cdef inline Count leaves(const Rules* rules, State* state) noexcept nogil:
    cdef unsigned int rest = boards(rules, state)
    cdef uint64_t cells, stone
    cdef Undo undo
    cdef Count total
    cdef int board, cell
    total.nodes = total.won = 0
    while rest:
        board = lowest(rest)
        rest &= rest - 1
        cells = board_moves(rules, state, board)
        if BOARD_CELLS <= 9:
            for cell in range(BOARD_CELLS):
                stone = cells & <uint64_t> 1 << cell
                total.won += won(rules, put(rules, state, board, cell, stone, &undo, False))
                total.nodes += cells >> cell & 1
                unput(rules, state, board, &undo, False)
        else:
            while cells:
                stone = cells & (0 - cells)
                cells ^= stone
                total.won += won(
                    rules, put(rules, state, board, lowest(stone), stone, &undo, False))
                total.nodes += 1
                unput(rules, state, board, &undo, False)
    return total


# Counts the leaves `depth` >= 2 plies below an undecided state.
cdef Count perft(const Rules* rules, State* state, int depth) noexcept nogil:
    cdef unsigned int rest = boards(rules, state)
    cdef uint64_t cells, stone
    cdef Undo undo
    cdef State* child
    cdef Count total, below
    cdef int board
    total.nodes = total.won = 0
    while rest:
        board = lowest(rest)
        rest &= rest - 1
        cells = board_moves(rules, state, board)
        while cells:
            stone = cells & (0 - cells)
            cells ^= stone
            child = put(rules, state, board, lowest(stone), stone, &undo, False)
            if not won(rules, child):
                below = leaves(rules, child) if depth == 2 else perft(rules, child, depth - 1)
                total.nodes += below.nodes
                total.won += below.won
            unput(rules, state, board, &undo, False)
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
