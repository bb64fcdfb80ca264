"""Move generation of the Qubic proof search, with initial proof numbers.

The attacker tries only its few best moves by evaluation, which is sound for proving a win, not for
refuting one. The defender has all moves that do not lose to a threat sequence at once; most of the
others are ruled out without a search, by the relevance zones of sequences already found.

A move list costs a threat search per move, so lists are cached by the key of their position.
Positions are kept in one orientation, that of the least sum of `symmetry.pxd`.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy, memset

from ttt_core.primitives.bits cimport lowest, mix, popcount
from ttt_core.primitives.lines cimport permuted
from ttt_core.runtime.atomics cimport store_word
from ttt_core.tables.proof cimport Child, start_numbers
from ttt_core.games.qubic cimport SYMMETRIES
from ttt_core.search.threats.qubic_search cimport (
    LINES, Geometry, LineSet, Side, Threats, add_stone, completions, line_count, relevance_zone,
    set_stones, wins_by_threats,
)
from ttt_core.solvers.qubic.symmetry cimport (
    Symmetry, least_sum, least_sum_with, sum_images, symmetry_of,
)

cdef enum:
    MAX_CHILDREN = 64
    MAX_DEPTH = 66
    WEAK_PROOF_NUMBERS = 0     # sums take 0.6 of the threat nodes (bench/qubic.py)
    INVERSE_EPSILON = 16
    ALWAYS_PROBE = 1           # transpositions are frequent
    EARLY_STONES = 4           # up to here the attacker has `early` moves, then `later`
    ATTACKER_KEY = 0x2545F491  # added to the key of positions with the attacker to move

ctypedef struct Node:
    uint64_t key
    bint attacking             # the attacker is to move
    Side attacker
    Side defender
    uint64_t sums[SYMMETRIES]

ctypedef struct CachedList:
    uint64_t key               # of the position; 0: an empty slot
    uint32_t first             # the list's first child in `children`
    uint32_t count

# Move lists by position: open addressing, emptied when it is full.
ctypedef struct ListCache:
    CachedList* slots
    uint64_t mask              # the number of slots, a power of two, less 1
    uint32_t used              # slots in use
    Child* children            # of all lists
    uint32_t capacity          # of `children`
    uint32_t filled            # children in use

ctypedef struct Context:
    const Symmetry* symmetry
    Threats threats
    ListCache cache
    uint64_t expansions        # move lists generated; atomic, for other threads to read
    uint64_t positions         # children generated; atomic
    int early                  # the attacker's move limit in positions of few stones
    int later                  # and after that


# The log-odds that the attacker wins, in sixteenths, fitted to positions that a proof search had
# decided.
cdef inline int log_odds(const Side* attacker, const Side* defender,
                         bint attacking) noexcept nogil:
    cdef LineSet mine = attacker.one & ~defender.one
    cdef LineSet theirs = defender.one & ~attacker.one
    cdef int ones = line_count(mine & ~attacker.two)
    cdef int twos = line_count(mine & attacker.two & ~attacker.three)
    cdef int their_ones = line_count(theirs & ~defender.two)
    cdef int their_twos = line_count(theirs & defender.two & ~defender.three)
    cdef int their_threes = line_count(theirs & defender.three)
    cdef int untouched = LINES - line_count(attacker.one | defender.one)
    cdef int stones = popcount(attacker.stones | defender.stones)
    if attacking:
        return (484 + 7 * ones + 37 * twos - 15 * their_ones - 73 * their_twos
                - 120 * their_threes - 4 * untouched - 9 * stones)
    return (275 + 5 * ones + 24 * twos - 13 * their_ones - 59 * their_twos - 3 * untouched
            - 5 * stones)


# Makes the node of a position, in the orientation of the least sum.
cdef inline void make_node(const Context* context, uint64_t attacker, uint64_t defender,
                           bint attacking, Node* node) noexcept nogil:
    cdef const Geometry* geometry = context.threats.geometry
    cdef uint64_t sum
    cdef int i
    sum_images(context.symmetry, attacker, defender, node.sums)
    sum = least_sum(node.sums)
    i = symmetry_of(node.sums, sum)
    node.key = mix(sum + ATTACKER_KEY * attacking)
    node.attacking = attacking
    set_stones(geometry, &node.attacker, permuted(attacker, context.symmetry.rules.image[i]))
    set_stones(geometry, &node.defender, permuted(defender, context.symmetry.rules.image[i]))
    if i:
        sum_images(context.symmetry, node.attacker.stones, node.defender.stones, node.sums)


cdef inline void descend(const Context* context, const Node* node, const Child* child,
                         Node* below) noexcept nogil:
    cdef uint64_t cell = <uint64_t> 1 << child.move
    make_node(context, node.attacker.stones | (cell if node.attacking else 0),
              node.defender.stones | (0 if node.attacking else cell), not node.attacking, below)


# Move ordering: writes the cells to `order`, the best for the side to move first; returns their
# number.
cdef inline int order_moves(const Context* context, const Node* node, uint64_t cells,
                            int* order) noexcept nogil:
    cdef const Geometry* geometry = context.threats.geometry
    cdef int values[64]
    cdef int i, cell, value, count = 0
    cdef Side attacker, defender
    while cells:
        cell = lowest(cells)
        cells &= cells - 1
        attacker = node.attacker
        defender = node.defender
        if node.attacking:
            add_stone(geometry, &attacker, cell)
            value = log_odds(&attacker, &defender, False)
        else:
            add_stone(geometry, &defender, cell)
            value = -log_odds(&attacker, &defender, True)
        i = count
        while i and values[i - 1] < value:
            values[i] = values[i - 1]
            order[i] = order[i - 1]
            i -= 1
        values[i] = value
        order[i] = cell
        count += 1
    return count


# Adds a child unless a symmetric one is there; returns the number of children.
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


# Generates the attacker's moves: the best few, without those after which the defender wins by a
# threat sequence. The attacker has no threat sequence of its own.
cdef inline int generate_attacks(Context* context, const Node* node,
                                 Child* children) noexcept nogil:
    cdef Threats* threats = &context.threats
    cdef const Geometry* geometry = threats.geometry
    cdef const Side* defender = &node.defender
    cdef uint64_t empty = ~(node.attacker.stones | defender.stones)
    cdef uint64_t blocks = completions(geometry, defender, &node.attacker)
    cdef uint64_t cells = blocks if blocks else empty
    cdef bint threatened = blocks != 0
    cdef int limit = context.early if popcount(~empty) <= EARLY_STONES else context.later
    cdef int order[64]
    cdef int i, cell, total, count = 0
    cdef Side attacker
    if blocks & (blocks - 1):
        return 0
    if not threatened and wins_by_threats(threats, defender, &node.attacker):
        threatened = True
        cells = relevance_zone(threats, defender, &node.attacker)
    total = order_moves(context, node, cells, order)
    for i in range(total):
        cell = order[i]
        if count == limit:
            break
        if not cells >> cell & 1:
            continue
        attacker = node.attacker
        add_stone(geometry, &attacker, cell)
        if threatened and not completions(geometry, &attacker, defender) & empty:
            if wins_by_threats(threats, defender, &attacker):
                cells &= relevance_zone(threats, defender, &attacker)
                continue
        count = add_child(
            context, children, count,
            mix(least_sum_with(context.symmetry, node.sums, 0, cell)), cell,
            log_odds(&attacker, defender, False))
    return count


# Generates the defender's moves after which the attacker does not win by a threat sequence.
cdef inline int generate_defences(Context* context, const Node* node,
                                  Child* children) noexcept nogil:
    cdef Threats* threats = &context.threats
    cdef const Geometry* geometry = threats.geometry
    cdef const Side* attacker = &node.attacker
    cdef uint64_t empty = ~(attacker.stones | node.defender.stones)
    cdef uint64_t blocks = completions(geometry, attacker, &node.defender)
    cdef uint64_t cells = blocks if blocks else empty
    cdef int order[64]
    cdef int i, cell, total, count = 0, kept = 0
    cdef Side defender
    if not blocks and wins_by_threats(threats, attacker, &node.defender):
        cells = relevance_zone(threats, attacker, &node.defender)
    total = order_moves(context, node, cells, order)
    for i in range(total):
        cell = order[i]
        if not cells >> cell & 1:
            continue
        defender = node.defender
        add_stone(geometry, &defender, cell)
        if wins_by_threats(threats, attacker, &defender):
            cells &= relevance_zone(threats, attacker, &defender)
            continue
        count = add_child(
            context, children, count,
            mix(least_sum_with(context.symmetry, node.sums, 1, cell) + ATTACKER_KEY), cell,
            log_odds(attacker, &defender, True))
    for i in range(count):
        if cells >> children[i].move & 1:
            children[kept] = children[i]
            kept += 1
    return kept


cdef inline void clear_cache(ListCache* cache) noexcept nogil:
    memset(cache.slots, 0, (cache.mask + 1) * sizeof(CachedList))
    cache.used = cache.filled = 0


# The children of a position in which neither side has won and the side to move has no threat
# sequence, from the cache or generated. Returns their number; 0 means that the side to move fails.
cdef inline int generate_children(Context* context, const Node* node,
                                  Child* children) noexcept nogil:
    cdef ListCache* cache = &context.cache
    cdef uint64_t i = node.key & cache.mask
    cdef CachedList* slot
    cdef int count
    while cache.slots[i].key and cache.slots[i].key != node.key:
        i = (i + 1) & cache.mask
    slot = &cache.slots[i]
    if slot.key:
        memcpy(children, &cache.children[slot.first], slot.count * sizeof(Child))
        return slot.count
    store_word(&context.expansions, context.expansions + 1)
    if node.attacking:
        count = generate_attacks(context, node, children)
    else:
        count = generate_defences(context, node, children)
    if context.threats.limits.stopped:
        return count
    if cache.filled + count > cache.capacity or cache.used > cache.mask // 4 * 3:
        clear_cache(cache)
        slot = &cache.slots[node.key & cache.mask]
    slot.key = node.key
    slot.first = cache.filled
    slot.count = count
    memcpy(&cache.children[cache.filled], children, count * sizeof(Child))
    cache.filled += count
    cache.used += 1
    return count
