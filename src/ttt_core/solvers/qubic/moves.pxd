"""The moves of Qubic that a proof search has to look at, with numbers to start from.

The attacker tries only its few best moves by evaluation: sound for showing a win, not for refuting
one. The other side has all moves that do not lose to a chain of threes at once; most of them are
ruled out without a search, by the zones of the chains found against others (`zone`).

Lists are dear (a threat search a move), so they are kept, by the key of the position. A position is
always looked at in the same orientation, that of the least sum of `qubic_symmetry`.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy, memset

from ttt_core.primitives.bits cimport lowest, mix, popcount
from ttt_core.games.qubic cimport SYMMETRIES
from ttt_core.primitives.lines cimport permuted
from ttt_core.tables.proof cimport Child, start_numbers
from ttt_core.solvers.qubic.symmetry cimport (
    Symmetry, add_up, least, least_with, symmetry_of,
)
from ttt_core.search.threats.qubic_search cimport (
    Geometry, LineSet, Side, Threats, completions, line_count, put, put_all, wins_by_threats, zone,
)
from ttt_core.runtime.atomics cimport store_word

cdef enum:
    MOST_CHILDREN = 64
    MOST_DEPTH = 66
    WEAK_PROOF_NUMBERS = 0     # proof numbers are sums: 0.6 of the threat nodes (bench/qubic.py)
    INVERSE_EPSILON = 16
    ALWAYS_PROBE = 1           # a position is met in many ways
    FEW_STONES = 4             # up to so many stones the attacker tries `early` moves, then `later`
    SALT = 0x2545F491          # tells positions in which the attacker is to move

ctypedef struct Node:
    uint64_t key
    bint attacking             # the attacker is to move
    Side attacker
    Side defender
    uint64_t sums[SYMMETRIES]

ctypedef struct List:
    uint64_t key
    uint32_t first             # in `room`
    uint32_t count

ctypedef struct Lists:
    List* slots
    Child* room
    uint64_t mask              # of the place in `slots`
    uint32_t used              # of `room`
    uint32_t size              # of `room`
    uint32_t taken             # of `slots`

ctypedef struct Context:
    const Symmetry* symmetry
    Threats threats
    Lists lists
    uint64_t expansions        # lists made; written and read as tallies
    uint64_t positions         # children listed
    int early
    int later


# An evaluation: sixteenths of the logarithm of the odds that the attacker wins, fitted to
# positions that such a search had decided.
cdef inline int promise(const Side* attacker, const Side* defender,
                        bint attacking) noexcept nogil:
    cdef LineSet mine = attacker.one & ~defender.one
    cdef LineSet theirs = defender.one & ~attacker.one
    cdef int ones = line_count(mine & ~attacker.two)
    cdef int twos = line_count(mine & attacker.two & ~attacker.three)
    cdef int their_ones = line_count(theirs & ~defender.two)
    cdef int their_twos = line_count(theirs & defender.two & ~defender.three)
    cdef int their_threes = line_count(theirs & defender.three)
    cdef int nothing = 76 - line_count(attacker.one | defender.one)
    cdef int stones = popcount(attacker.stones | defender.stones)
    if attacking:
        return (484 + 7 * ones + 37 * twos - 15 * their_ones - 73 * their_twos
                - 120 * their_threes - 4 * nothing - 9 * stones)
    return 275 + 5 * ones + 24 * twos - 13 * their_ones - 59 * their_twos - 3 * nothing - 5 * stones


# Takes up a position in its own orientation.
cdef inline void take_up(const Context* context, uint64_t attacker, uint64_t defender,
                         bint attacking, Node* node) noexcept nogil:
    cdef const Geometry* geometry = context.threats.geometry
    cdef uint64_t sum
    cdef int turned
    add_up(context.symmetry, attacker, defender, node.sums)
    sum = least(node.sums)
    turned = symmetry_of(node.sums, sum)
    node.key = mix(sum + SALT * attacking)
    node.attacking = attacking
    put_all(geometry, &node.attacker, permuted(attacker, context.symmetry.rules.image[turned]))
    put_all(geometry, &node.defender, permuted(defender, context.symmetry.rules.image[turned]))
    if turned:
        add_up(context.symmetry, node.attacker.stones, node.defender.stones, node.sums)


cdef inline void descend(const Context* context, const Node* node, const Child* child,
                         Node* below) noexcept nogil:
    cdef uint64_t cell = <uint64_t> 1 << child.move
    take_up(context, node.attacker.stones | (cell if node.attacking else 0),
            node.defender.stones | (0 if node.attacking else cell), not node.attacking, below)


# Puts the cells of a set into an order: the best for the side to move first.
cdef inline int rank(const Context* context, const Node* node, uint64_t cells,
                     int* order) noexcept nogil:
    cdef const Geometry* geometry = context.threats.geometry
    cdef int worth[64]
    cdef int i, cell, value, count = 0
    cdef Side attacker, defender
    while cells:
        cell = lowest(cells)
        cells &= cells - 1
        attacker = node.attacker
        defender = node.defender
        if node.attacking:
            put(geometry, &attacker, cell)
            value = promise(&attacker, &defender, False)
        else:
            put(geometry, &defender, cell)
            value = -promise(&attacker, &defender, True)
        i = count
        while i and worth[i - 1] < value:
            worth[i] = worth[i - 1]
            order[i] = order[i - 1]
            i -= 1
        worth[i] = value
        order[i] = cell
        count += 1
    return count


# Adds a child if none of the same key is there.
cdef inline int add_child(Context* context, Child* children, int count, uint64_t key, int cell,
                          int value) noexcept nogil:
    cdef int i
    for i in range(count):
        if children[i].key == key:
            return count
    children[count].key = key
    children[count].move = cell
    start_numbers(&children[count].numbers, 1 + (64 - value) // 4 if value < 64 else 1, 1)
    store_word(&context.positions, context.positions + 1)
    return count + 1


# The attacker's moves, which has no chain of threes: the best few, and none to which the defender
# has a chain.
cdef inline int list_attacks(Context* context, const Node* node,
                             Child* children) noexcept nogil:
    cdef Threats* threats = &context.threats
    cdef const Geometry* geometry = threats.geometry
    cdef const Side* defender = &node.defender
    cdef uint64_t empty = ~(node.attacker.stones | defender.stones)
    cdef uint64_t stops = completions(geometry, defender, &node.attacker)
    cdef uint64_t cells = stops if stops else empty
    cdef bint pressed = stops != 0
    cdef int most = context.early if popcount(~empty) <= FEW_STONES else context.later
    cdef int order[64]
    cdef int i, cell, ranked, count = 0
    cdef Side attacker
    if stops & (stops - 1):
        return 0
    if not pressed and wins_by_threats(threats, defender, &node.attacker):
        pressed = True
        cells = zone(threats, defender, &node.attacker)
    ranked = rank(context, node, cells, order)
    for i in range(ranked):
        cell = order[i]
        if count == most:
            break
        if not cells >> cell & 1:
            continue
        attacker = node.attacker
        put(geometry, &attacker, cell)
        if pressed and not completions(geometry, &attacker, defender) & empty:
            if wins_by_threats(threats, defender, &attacker):
                cells &= zone(threats, defender, &attacker)
                continue
        count = add_child(
            context, children, count,
            mix(least_with(context.symmetry, node.sums, 0, cell)), cell,
            promise(&attacker, defender, False))
    return count


# The defender's moves to which the attacker has no chain of threes.
cdef inline int list_defences(Context* context, const Node* node,
                              Child* children) noexcept nogil:
    cdef Threats* threats = &context.threats
    cdef const Geometry* geometry = threats.geometry
    cdef const Side* attacker = &node.attacker
    cdef uint64_t empty = ~(attacker.stones | node.defender.stones)
    cdef uint64_t stops = completions(geometry, attacker, &node.defender)
    cdef uint64_t cells = stops if stops else empty
    cdef int order[64]
    cdef int i, cell, ranked, count = 0, kept = 0
    cdef Side defender
    if not stops and wins_by_threats(threats, attacker, &node.defender):
        cells = zone(threats, attacker, &node.defender)
    ranked = rank(context, node, cells, order)
    for i in range(ranked):
        cell = order[i]
        if not cells >> cell & 1:
            continue
        defender = node.defender
        put(geometry, &defender, cell)
        if wins_by_threats(threats, attacker, &defender):
            cells &= zone(threats, attacker, &defender)
            continue
        count = add_child(
            context, children, count,
            mix(least_with(context.symmetry, node.sums, 1, cell) + SALT), cell,
            promise(attacker, &defender, True))
    for i in range(count):
        if cells >> children[i].move & 1:
            children[kept] = children[i]
            kept += 1
    return kept


cdef inline void forget_lists(Lists* lists) noexcept nogil:
    memset(lists.slots, 0, (lists.mask + 1) * sizeof(List))
    lists.used = lists.taken = 0


# The children of a position in which neither side has won and the side to move has no chain of
# threes; 0 if there are none, which is good for the side that is not to move.
cdef inline int find_children(Context* context, const Node* node,
                              Child* children) noexcept nogil:
    cdef Lists* lists = &context.lists
    cdef uint64_t at = node.key & lists.mask
    cdef List* slot
    cdef int count
    while lists.slots[at].key and lists.slots[at].key != node.key:
        at = (at + 1) & lists.mask
    slot = &lists.slots[at]
    if slot.key:
        memcpy(children, &lists.room[slot.first], slot.count * sizeof(Child))
        return slot.count
    store_word(&context.expansions, context.expansions + 1)
    if node.attacking:
        count = list_attacks(context, node, children)
    else:
        count = list_defences(context, node, children)
    if context.threats.limits.stopped:
        return count
    if lists.used + count > lists.size or lists.taken > lists.mask // 4 * 3:
        forget_lists(lists)
        slot = &lists.slots[node.key & lists.mask]
    slot.key = node.key
    slot.first = lists.used
    slot.count = count
    memcpy(&lists.room[lists.used], children, count * sizeof(Child))
    lists.used += count
    lists.taken += 1
    return count
