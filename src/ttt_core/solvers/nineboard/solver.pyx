"""The nine-board solver, compiled: proof search over safe moves, led by learned odds."""

from libc.math cimport exp, sqrt
from libc.stdint cimport int16_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from ttt_core.primitives.bits cimport lowest, popcount
from ttt_core.primitives.cells81 cimport Move, MoveSet, count, pick, some, take
from ttt_core.games.nineboard cimport (
    MOVES, Rules, State, Undo, arrange, empty, enter, immediate, key_after, leave,
    no_moves_left, ply, prepare, safe, safe_cells, start, threats, winnable,
)
from ttt_core.primitives.nine cimport pattern
from ttt_core.primitives.picture cimport ANY_BOARD, Picture
from ttt_core.tables.proof cimport (
    NEVER, Child, Numbers, ProofTable, proof_bucket, put_entry, read_numbers, start_numbers,
)
from ttt_core.primitives.random cimport Random, below, draw, seed
from ttt_core.solvers.nineboard.odds cimport (
    ADDED, FEATURES, LANES, ROWS, SCALE, Model, judge, list_features, prepare_model,
)
from ttt_core.solvers.nineboard.odds_weights cimport WEIGHTS_CHECK, WEIGHTS_VERSION
from ttt_core.tables.transposition cimport BUCKET, Slot, prefetch
from ttt_core.runtime.atomics cimport load_word, store_word
from ttt_core.runtime.limits cimport Limits, poll

from ttt_core.errors import BadNotation

WEIGHTS = (WEIGHTS_VERSION, WEIGHTS_CHECK)  # of the evaluation

cdef enum:
    MOST_CHILDREN = MOVES
    MOST_DEPTH = MOVES + 1
    WEAK_PROOF_NUMBERS = 1     # sums: 1.6 and 2.8 times the nodes (bench/nineboard.py)
    INVERSE_EPSILON = 8
    ALWAYS_PROBE = 0           # hardly a position is met in two ways
    SPAN = 8 * SCALE           # log-odds beyond this start from the same numbers
    LATE = 40                  # plies before which each side still has lines to win by
    NO_FEATURE = 0xFFFF
    SAFE_GAMES = 100_000       # tried for one that is long enough: half a second

# Keeps what was asked for o apart: a draw is a success of the side that was not asked.
cdef uint64_t SALT = 0x6C8E9CF570932BD5

# A position that was decided, for training.
ctypedef struct Sample:
    uint16_t features[FEATURES]
    float chance               # of the side to move: 1 won, 0 lost

# What all threads read.
ctypedef struct Odds:
    Model model
    uint32_t success[2 * SPAN + 1]  # the first number for the side to move, by its log-odds
    uint32_t failure[2 * SPAN + 1]  # against it, for each safe move, in sixteenths

ctypedef struct Context:
    Limits* limits
    const Rules* rules
    const Odds* odds
    const ProofTable* table
    int attacker               # the side that is asked to win
    uint64_t expansions        # lists made; written and read as tallies
    uint64_t positions         # children listed
    Sample* samples            # where decided positions are gathered; NULL: nowhere
    size_t sampled
    size_t room
    uint64_t rarity            # a position that took this many nodes is taken for sure
    Random random

ctypedef struct Node:
    uint64_t key
    bint attacking             # the attacker is to move
    int stones
    State state

# What one thread writes to, away from what others do: two threads must not share a cache line.
ctypedef struct Worker:
    Context context
    Limits limits
    char apart[128]


cdef inline Limits* limits_of(Context* context) noexcept nogil:
    return context.limits


# First numbers that grow with the log-odds `v` against what is to be proven: for success
# 16 (1 + max(0, -v)), for failure 32 exp(v / 5) for each safe move (bench/nineboard.py).
cdef void prepare_odds(Odds* odds, const Rules* rules) noexcept nogil:
    cdef double value
    cdef int i
    prepare_model(&odds.model, rules)
    for i in range(2 * SPAN + 1):
        value = <double> (i - SPAN) / SCALE
        odds.success[i] = <uint32_t> (16.5 + max(0.0, -16 * value))
        odds.failure[i] = <uint32_t> (16 * 32 * exp(0.2 * value) + 0.5)


cdef inline void take_up(const Context* context, const State* state, int stones,
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


# Numbers of a position whose side to move succeeds or fails.
cdef inline void settle_child(Child* child, bint attacks, bint succeeds,
                              bint drawn) noexcept nogil:
    if attacks == succeeds:
        start_numbers(&child.numbers, 0, NEVER)
    else:
        start_numbers(&child.numbers, NEVER, 0)
    child.numbers.drawn = drawn


# Whether the side to move has a safe move that leaves the other side no safe one, found at a
# glance; False proves nothing. `cells` are the safe ones of the board in force. Only moves that
# point to a board whose every empty cell points into a threat can be that; these are tried.
cdef inline bint wins_in_three(const Rules* rules, const Model* model, State* state,
                               uint64_t cells) noexcept nogil:
    cdef int board = state.board, side = state.side, i
    cdef unsigned int mine = threats(state, side)
    cdef unsigned int with_here = mine | 1 << board
    cdef uint64_t trapped = 0, trapped_with_here = 0
    cdef uint64_t making = model.making[pattern(
        &rules.nine, state.stones[side][board], state.stones[1 - side][board])]
    cdef unsigned int room
    cdef Undo undo
    cdef bint found
    for i in range(9):
        room = empty(state, i)
        trapped |= <uint64_t> (room & ~mine == 0) << i
        trapped_with_here |= <uint64_t> (room & ~with_here == 0) << i
    # The move itself takes a cell of its own board.
    if empty(state, board) & ~mine == <unsigned int> 1 << board:
        trapped |= 1 << board
    trapped_with_here |= 1 << board
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


# The numbers of a running position that the table does not know; `stones` are on the board.
cdef inline void start_child(const Context* context, State* state, int stones,
                             Child* child) noexcept nogil:
    cdef bint attacks = state.side == context.attacker
    cdef uint64_t cells
    cdef uint32_t success, failure
    cdef int odds, moves
    if state.board < 9:
        cells = safe_cells(context.rules, state, state.board)
        moves = popcount(cells)
        if moves and wins_in_three(context.rules, &context.odds.model, state, cells):
            settle_child(child, attacks, True, False)
            return
    else:
        moves = count(safe(context.rules, state))
    if moves == 0:
        settle_child(child, attacks, False, False)
    elif stones > LATE and not winnable(context.rules, state, attacks):
        settle_child(child, attacks, not attacks, True)
    else:
        odds = judge(&context.odds.model, context.rules, state, stones)
        odds = max(-SPAN, min(SPAN, odds)) + SPAN
        success = context.odds.success[odds]
        failure = 1 + moves * context.odds.failure[odds] // 16
        start_numbers(&child.numbers, success if attacks else failure,
                      failure if attacks else success)


# The children that matter: the safe ones, or a winning one alone. The side to move cannot win at
# once and has a safe move.
cdef inline int expand(Context* context, const Node* node, Child* children) noexcept nogil:
    cdef const Rules* rules = context.rules
    cdef State state = node.state
    cdef MoveSet rest = safe(rules, &state)
    cdef Child* child
    cdef Undo undo
    cdef int i, total = 0
    while some(rest):
        children[total].move = take(&rest)
        children[total].key = key_after(rules, &state, children[total].move)
        prefetch(proof_bucket(context.table, children[total].key))
        total += 1
    store_word(&context.expansions, context.expansions + 1)
    for i in range(total):
        child = &children[i]
        if not read_numbers(context.table, child.key, &child.numbers):
            enter(rules, &state, child.move, &undo)
            if no_moves_left(rules, &state):
                settle_child(child, not node.attacking, node.attacking, True)
            else:
                start_child(context, &state, node.stones + 1, child)
            leave(rules, &state, child.move, &undo)
        if (child.numbers.proof if node.attacking else child.numbers.disproof) == 0 and (
                not child.numbers.drawn):
            children[0] = child[0]
            total = 1
            break
    context.limits.nodes += total
    store_word(&context.positions, context.positions + total)
    return total


# Takes a position of so many stones as a sample; there is room for it.
cdef inline void add_sample(Context* context, const State* state, int stones,
                            float chance) noexcept nogil:
    cdef Sample* sample = &context.samples[context.sampled]
    cdef int i = list_features(&context.odds.model, context.rules, state, stones, sample.features)
    while i < FEATURES:
        sample.features[i] = NO_FEATURE
        i += 1
    sample.chance = chance
    context.sampled += 1


# Takes a share of the decided positions as samples: the more nodes one took, the more surely.
cdef inline void on_decided(Context* context, const Node* node, const Numbers* numbers,
                            uint64_t nodes) noexcept nogil:
    if (context.samples == NULL or numbers.drawn or context.sampled == context.room
            or draw(&context.random) % context.rarity > nodes):
        return
    add_sample(context, &node.state, node.stones, (numbers.proof == 0) == node.attacking)


include "../../runtime/threads.pxi"
include "../../search/dfpn.pxi"
include "../../search/dfpn_threads.pxi"
include "bounded.pxi"
include "binding.pxi"
include "training.pxi"
