# Wins within n plies: boolean alpha-beta search, moves ordered by the learned evaluation.
#
# Needs: solver.pyx up to its includes, search/dfpn.pxi.

from ttt_core.primitives.bits cimport mix
from ttt_core.games.nineboard cimport CANONICAL_PLIES, transform


# The table key of "the attacker wins within `left` plies". Positions of few stones share it with
# their symmetric images.
cdef inline uint64_t wins_within_key(const Context* context, const State* state, int left,
                                     int stones) noexcept nogil:
    cdef uint64_t found = state.key
    cdef State other
    cdef int i
    if stones <= CANONICAL_PLIES:
        for i in range(1, 8):
            transform(context.rules, i, state, &other)
            found = min(found, other.key)
    return found ^ mix(2 * left + context.attacker + 1)


# Whether no board can become a trap within `plies`. A board is a trap if each of its empty cells
# points to a board on which the attacker threatens a line, or to a full one. A ply settles one
# cell of a board, by filling it or by a threat; one that makes a threat on the trap settles two.
cdef inline bint far_from_trap(const State* state, int attacker, int plies) noexcept nogil:
    cdef unsigned int settled = threats(state, attacker) | state.full
    cdef unsigned int empties
    cdef int board
    for board in range(9):
        empties = empty(state, board)
        if empties and popcount(empties & ~settled) <= plies + 1:
            return False
    return True


# Whether the attacker wins a running game within `left` plies, whichever side is to move. The side
# to move cannot win at once; `stones` are on the board. Void if the limits have stopped the search.
cdef bint wins_within(Context* context, ProofTable* table, State* state, int left,
                      int stones) noexcept nogil:
    cdef const Rules* rules = context.rules
    cdef Limits* limits = context.limits
    cdef bint attacks = state.side == context.attacker
    cdef MoveSet rest = safe(rules, state)
    cdef uint64_t began = limits.nodes, key
    cdef int order[MOVES]
    cdef int ranks[MOVES]
    cdef Undo undo
    cdef Numbers numbers
    cdef int i, j, total = 0
    cdef bint found
    if not attacks and not some(rest):
        return left >= 2
    if left < (3 if attacks else 4) or not some(rest):
        return False
    # The ply before the last is the opponent's move into the trap.
    if far_from_trap(state, context.attacker, left - 2):
        return False
    if limits.nodes >= limits.next_poll:
        poll(limits)
    if limits.stopped:
        return False
    key = wins_within_key(context, state, left, stones)
    if read_numbers(table, key, &numbers):
        return numbers.proof == 0
    while some(rest):
        order[total] = take(&rest)
        enter(rules, state, order[total], &undo)
        limits.nodes += 1
        if no_moves_left(rules, state):
            ranks[total] = SPAN if attacks else -2 * SPAN
        elif not some(safe(rules, state)):
            ranks[total] = -4 * SPAN
        else:
            ranks[total] = evaluate_network(&context.odds.network, rules, state, stones + 1)
        leave(rules, state, order[total], &undo)
        if ranks[total] == -4 * SPAN:
            # The opponent has no safe reply: the side to move wins with its next move.
            return attacks
        total += 1
    found = not attacks
    if attacks and left < 5:
        total = 0
    for i in range(total):
        for j in range(i + 1, total):
            if ranks[j] < ranks[i]:
                ranks[i], ranks[j] = ranks[j], ranks[i]
                order[i], order[j] = order[j], order[i]
        enter(rules, state, order[i], &undo)
        if no_moves_left(rules, state):
            found = False
        else:
            found = wins_within(context, table, state, left - 1, stones + 1)
        leave(rules, state, order[i], &undo)
        if found == attacks:
            break
    if not limits.stopped:
        start_numbers(&numbers, 0 if found else INFINITE, INFINITE if found else 0)
        save_numbers(table, key, &numbers, limits.nodes - began)
    return found
