"""The nine-board solver, compiled: df-pn over safe moves, initialised by a learned network."""

from libc.math cimport exp, sqrt
from libc.stdint cimport int16_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from ttt_core.primitives.bits cimport lowest, popcount
from ttt_core.primitives.cells81 cimport Move, MoveSet, count, pick, some, take
from ttt_core.primitives.nine cimport move_image, pattern
from ttt_core.primitives.picture cimport ANY_BOARD, Picture
from ttt_core.primitives.random cimport Random, below, draw, seed
from ttt_core.runtime.atomics cimport load_word, store_word
from ttt_core.runtime.limits cimport Limits, poll
from ttt_core.tables.proof cimport (
    INFINITE, Child, Numbers, ProofTable, proof_bucket, put_entry, read_numbers, start_numbers,
)
from ttt_core.tables.transposition cimport BUCKET, Slot, prefetch
from ttt_core.games.nineboard cimport (
    MOVES, Rules, State, Undo, arrange, describe, empty, enter, immediate, key_after, leave,
    moves as legal_moves, no_moves_left, ply, prepare, safe, start, threats, transform,
    winnable, won,
)
from ttt_core.solvers.nineboard.network cimport (
    ADDED, FEATURES, ROWS, SCALE, UNITS, Network, Siblings, boards_within, evaluate_child,
    evaluate_network, find_safe, list_features, load_weights, sum_siblings,
)

from ttt_core.errors import BadNotation

SHAPE = (ROWS, UNITS)  # of the learned weights

cdef enum:
    MAX_CHILDREN = MOVES
    MAX_DEPTH = MOVES + 1
    WEAK_PROOF_NUMBERS = 1     # sums take 1.6 and 2.8 times the nodes (bench/nineboard.py)
    INVERSE_EPSILON = 8
    ALWAYS_PROBE = 0           # transpositions are rare
    SPAN = 8 * SCALE           # log-odds are clipped to -SPAN .. SPAN
    OPEN_LINES_PLY = 40        # up to here each side still has an open line
    NO_FEATURE = 0xFFFF
    SAFE_GAMES = 100_000       # random games tried for one that is long enough: half a second

# XORed into the keys when o is the attacker. Proofs for x and for o share no table entries: a draw
# is a failure of whichever side attacks.
cdef uint64_t O_ATTACKS_KEY = 0x6C8E9CF570932BD5

# A decided position, for training.
ctypedef struct Sample:
    uint16_t features[FEATURES]
    float chance               # the probability that the side to move wins

# Initial proof and disproof numbers from the learned log-odds; read by all threads.
ctypedef struct Odds:
    Network network
    # The number for the side to move's failure, in sixteenths per safe move, by its log-odds.
    uint16_t failure[2 * SPAN + 1]

ctypedef struct Context:
    Limits* limits
    const Rules* rules
    const Odds* odds
    const ProofTable* table
    int attacker               # the side whose win is to be proven
    uint64_t expansions        # nodes expanded; atomic, for other threads to read
    uint64_t positions         # children generated; atomic
    Sample* samples            # where decided positions are gathered; NULL: nowhere
    size_t sampled             # number of samples so far
    size_t sample_capacity
    uint64_t rarity            # a position that took n nodes is sampled with probability n / rarity
    Random random

ctypedef struct Node:
    uint64_t key
    bint attacking             # the attacker is to move
    int stones
    State state


cdef inline Limits* limits_of(Context* context) noexcept nogil:
    return context.limits


# Initial numbers by the log-odds v of the side to move: 16 (1 + max(0, -v)) for its success,
# 32 exp(v / 5) per safe move for its failure (bench/nineboard.py).
cdef void prepare_odds(Odds* odds, const Rules* rules, const int16_t* weights) noexcept nogil:
    cdef double value
    cdef int i
    load_weights(&odds.network, rules, weights)
    for i in range(2 * SPAN + 1):
        value = <double> (i - SPAN) / SCALE
        odds.failure[i] = <uint16_t> (16 * 32 * exp(0.2 * value) + 0.5)


cdef inline void make_node(const Context* context, const State* state, int stones,
                           Node* node) noexcept nogil:
    node.state = state[0]
    node.key = state.key
    node.stones = stones
    node.attacking = state.side == context.attacker


cdef inline void descend(const Context* context, const Node* node, const Child* child,
                         Node* after) noexcept nogil:
    cdef Undo undo
    after.state = node.state
    enter(context.rules, &after.state, child.move, &undo)
    after.key = child.key
    after.stones = node.stones + 1
    after.attacking = not node.attacking


# Sets the numbers of a child whose side to move, the attacker if `attacks`, succeeds or fails;
# `drawn`: by a draw.
cdef inline void set_decided(Child* child, bint attacks, bint succeeds, bint drawn) noexcept nogil:
    if attacks == succeeds:
        start_numbers(&child.numbers, 0, INFINITE)
    else:
        start_numbers(&child.numbers, INFINITE, 0)
    child.numbers.drawn = drawn


# Whether the side to move has a safe move that leaves the opponent none: a win in three plies.
# `cells` are the safe cells of the board in force; a move on board `moved` has led here. Only moves
# to a board on which every empty cell points to a threat can win. Moves to a full board are not
# tried, so False proves nothing.
cdef inline bint wins_in_three(const Rules* rules, const Network* network, State* state, int moved,
                               uint64_t cells, const Siblings* siblings) noexcept nogil:
    cdef int board = state.board, side = state.side, i
    cdef unsigned int here = <unsigned int> 1 << board
    cdef unsigned int mine = threats(state, side)
    cdef unsigned int moved_threat = mine & 1 << moved
    cdef unsigned int exits = empty(state, moved) & ~mine
    cdef uint64_t trapped = (boards_within(&siblings.exits, moved_threat)
                             | <unsigned int> (exits == 0) << moved)
    cdef uint64_t trapped_with_here = (boards_within(&siblings.exits, moved_threat | here) | here
                                       | <unsigned int> (exits & ~here == 0) << moved)
    cdef uint64_t making = network.making[pattern(
        &rules.nine, state.stones[side][board], state.stones[1 - side][board])]
    cdef Undo undo
    cdef bint found
    # The move itself takes a cell of its own board.
    if empty(state, board) & ~mine == here:
        trapped |= here
    cells &= (trapped | making & trapped_with_here) & ~<uint64_t> state.full
    while cells:
        i = lowest(cells)
        cells &= cells - 1
        enter(rules, state, 9 * board + i, &undo)
        found = not no_moves_left(rules, state) and not some(safe(rules, state))
        leave(rules, state, 9 * board + i, &undo)
        if found:
            return True
    return False


# Sets the initial numbers of a child that is not in the table; the game goes on, with `stones` on
# the board.
cdef inline void initialise_child(const Context* context, State* state, int stones, Child* child,
                                  const Siblings* siblings) noexcept nogil:
    cdef bint attacks = state.side == context.attacker
    cdef uint64_t cells
    cdef uint32_t success, failure
    cdef int odds, moves = find_safe(context.rules, state, &cells)
    if cells and wins_in_three(context.rules, &context.odds.network, state, child.move // 9, cells,
                               siblings):
        set_decided(child, attacks, True, False)
    elif moves == 0:
        set_decided(child, attacks, False, False)
    elif stones > OPEN_LINES_PLY and not winnable(context.rules, state, attacks):
        set_decided(child, attacks, not attacks, True)
    else:
        odds = evaluate_child(&context.odds.network, context.rules, state, stones, child.move // 9,
                              cells, moves, siblings)
        odds = max(-SPAN, min(SPAN, odds))
        success = <uint32_t> (16 * SCALE + SCALE // 2 - 16 * min(odds, 0)) // SCALE
        failure = 1 + <uint32_t> (moves * context.odds.failure[odds + SPAN]) // 16
        start_numbers(&child.numbers, success if attacks else failure,
                      failure if attacks else success)


# Generates the safe moves, or only one that is known to win; returns their number. The side to move
# cannot win at once and has a safe move.
cdef inline int expand(Context* context, const Node* node, Child* children) noexcept nogil:
    cdef const Rules* rules = context.rules
    cdef State state
    cdef MoveSet rest = safe(rules, &node.state)
    cdef Child* child
    cdef Siblings siblings
    cdef Undo undo
    cdef int i, board = -1, total = 0
    while some(rest):
        children[total].move = take(&rest)
        children[total].key = key_after(rules, &node.state, children[total].move)
        prefetch(proof_bucket(context.table, children[total].key))
        total += 1
    store_word(&context.expansions, context.expansions + 1)
    state = node.state
    # The initial numbers are computed while the table is fetched, which has few of the children.
    for i in range(total):
        child = &children[i]
        if child.move // 9 != board:
            board = child.move // 9
            sum_siblings(&context.odds.network, rules, &state, board, &siblings)
        enter(rules, &state, child.move, &undo)
        if no_moves_left(rules, &state):
            set_decided(child, not node.attacking, node.attacking, True)
        else:
            initialise_child(context, &state, node.stones + 1, child, &siblings)
        leave(rules, &state, child.move, &undo)
    for i in range(total):
        child = &children[i]
        read_numbers(context.table, child.key, &child.numbers)
        if (child.numbers.proof if node.attacking else child.numbers.disproof) == 0 and (
                not child.numbers.drawn):
            children[0] = child[0]
            total = 1
            break
    context.limits.nodes += total
    store_word(&context.positions, context.positions + total)
    return total


# Adds a position with `stones` on the board to the samples, which are not full.
cdef inline void add_sample(Context* context, const State* state, int stones,
                            float chance) noexcept nogil:
    cdef Sample* sample = &context.samples[context.sampled]
    cdef int i = list_features(&context.odds.network, context.rules, state, stones, sample.features)
    while i < FEATURES:
        sample.features[i] = NO_FEATURE
        i += 1
    sample.chance = chance
    context.sampled += 1


# Samples decided positions for training, with a probability that grows with their `nodes`.
cdef inline void on_decided(Context* context, const Node* node, const Numbers* numbers,
                            uint64_t nodes) noexcept nogil:
    if (context.samples == NULL or numbers.drawn or context.sampled == context.sample_capacity
            or draw(&context.random) % context.rarity > nodes):
        return
    add_sample(context, &node.state, node.stones, (numbers.proof == 0) == node.attacking)


include "../../runtime/threads.pxi"
include "../../search/dfpn.pxi"
include "../../search/dfpn_threads.pxi"
include "wins_within.pxi"
include "binding.pxi"
include "proof_tree.pxi"
include "training.pxi"
