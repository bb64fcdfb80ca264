"""The nine-board solver, compiled: proof search over safe moves, led by learned odds."""

from libc.math cimport exp, sqrt
from libc.stdint cimport int16_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from ttt_core.bits cimport lowest, popcount
from ttt_core.cells81 cimport Move, MoveSet, count, pick, some, take
from ttt_core.games.nineboard cimport (
    MOVES, Rules, State, Undo, arrange, empty, enter, immediate, key_after, leave, ply, prepare,
    safe, safe_cells, start, stuck, threats, winnable,
)
from ttt_core.interrupt cimport propagate
from ttt_core.nine cimport pattern
from ttt_core.picture cimport ANY_BOARD, Picture
from ttt_core.proofs cimport WAYS, ProofSlot, Proving, release_pages, restore, zeroed_pages
from ttt_core.random cimport Random, below, draw, seed
from ttt_core.solvers.nineboard_odds cimport (
    ADDED, FEATURES, LANES, ROWS, SCALE, Model, judge, list_features, prepare_model,
)
from ttt_core.solvers.nineboard_odds_weights cimport WEIGHTS_CHECK, WEIGHTS_VERSION
from ttt_core.table cimport load

from ttt_core.errors import BadNotation
from ttt_core.memory import available_bytes

WEIGHTS = (WEIGHTS_VERSION, WEIGHTS_CHECK)  # of the evaluation

cdef enum:
    MEBIBYTE = 1 << 20
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

ctypedef struct Prover:
    Proving proving
    const Rules* rules
    const Model* model
    int played                 # plies before the root
    int attacker               # the side that is asked to win
    uint32_t phi_first[2 * SPAN + 1]
    uint32_t delta_first[2 * SPAN + 1]  # for each safe move, in sixteenths
    Sample* samples            # where decided positions are gathered; NULL: nowhere
    size_t sampled
    size_t room
    uint64_t rarity            # a position that took this many nodes is taken for sure
    Random random


include "../search/turns.pxi"
include "../search/proof_draws.pxi"


# First numbers that grow with the log-odds `v` against what is to be proven: for success
# 16 (1 + max(0, -v)), for failure 32 exp(v / 5) for each safe move (bench/nineboard.py).
cdef void prepare_first(Prover* prover) noexcept nogil:
    cdef double odds
    cdef int i
    for i in range(2 * SPAN + 1):
        odds = <double> (i - SPAN) / SCALE
        prover.phi_first[i] = <uint32_t> (16.5 + max(0.0, -16 * odds))
        prover.delta_first[i] = <uint32_t> (16 * 32 * exp(0.2 * odds) + 0.5)


cdef inline void settle_child(Child* child, bint succeeds, bint drawn) noexcept nogil:
    child.proof.phi = 0 if succeeds else ENDLESS
    child.proof.delta = ENDLESS if succeeds else 0
    child.proof.drawn = drawn
    child.proof.effort = 0


# Whether the side to move has a safe move that leaves the other side no safe one, found at a
# glance; False proves nothing. `cells` are the safe ones of the board in force. Only moves that
# point to a board whose every empty cell points into a threat can be that; these are tried.
cdef inline bint wins_in_three(const Rules* rules, const Model* model, State* state,
                               uint64_t cells) noexcept nogil:
    cdef int board = state.fore.board, side = state.fore.side, i
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
    cells &= (trapped | making & trapped_with_here) & ~<uint64_t> state.fore.full
    while cells:
        i = lowest(cells)
        cells &= cells - 1
        enter(rules, state, 9 * board + i, &undo)
        found = not stuck(rules, state) and not some(safe(rules, state))
        leave(rules, state, 9 * board + i, &undo)
        if found:
            return True
    return False


# The numbers of a running position that the table does not know; `stones` are on the board.
cdef inline void start_child(const Prover* prover, State* state, int stones,
                             Child* child) noexcept nogil:
    cdef bint attacks = state.fore.side == prover.attacker
    cdef uint64_t cells
    cdef int odds, moves
    child.proof.drawn = False
    child.proof.effort = 0
    if state.fore.board < 9:
        cells = safe_cells(prover.rules, state, state.fore.board)
        moves = popcount(cells)
        if moves and wins_in_three(prover.rules, prover.model, state, cells):
            settle_child(child, True, False)
            return
    else:
        moves = count(safe(prover.rules, state))
    if moves == 0:
        settle_child(child, False, False)
    elif stones > LATE and not winnable(prover.rules, state, attacks):
        settle_child(child, not attacks, True)
    else:
        odds = judge(prover.model, prover.rules, state, stones)
        odds = max(-SPAN, min(SPAN, odds)) + SPAN
        child.proof.phi = prover.phi_first[odds]
        child.proof.delta = 1 + moves * prover.delta_first[odds] // 16


# The children that matter: the safe ones, or a winning one alone. `depth` plies since the root, in
# which the side to move cannot win at once.
cdef int expand(Prover* prover, State* state, int depth, Child* list) noexcept nogil:
    cdef const Rules* rules = prover.rules
    cdef MoveSet rest = safe(rules, state)
    cdef Child* child
    cdef Undo room
    cdef int i, total = 0
    while some(rest):
        list[total].move = take(&rest)
        list[total].key = key_after(rules, state, list[total].move)
        prefetch(proof_bucket(prover.proving.table, list[total].key))
        total += 1
    for i in range(total):
        child = &list[i]
        if not recall(prover.proving.table, child.key, &child.proof):
            enter(rules, state, child.move, &room)
            if stuck(rules, state):
                settle_child(child, state.fore.side != prover.attacker, True)
            else:
                start_child(prover, state, prover.played + depth + 1, child)
            leave(rules, state, child.move, &room)
        if child.proof.delta == 0 and not child.proof.drawn:
            list[0] = child[0]
            return 1
    return total


# Takes a position of so many stones as a sample; there is room for it.
cdef inline void add_sample(Prover* prover, const State* state, int stones,
                            float chance) noexcept nogil:
    cdef Sample* sample = &prover.samples[prover.sampled]
    cdef int i = list_features(prover.model, prover.rules, state, stones, sample.features)
    while i < FEATURES:
        sample.features[i] = NO_FEATURE
        i += 1
    sample.chance = chance
    prover.sampled += 1


# Takes a share of the decided positions as samples: the more nodes one took, the more surely.
cdef inline void witness(Prover* prover, const State* state, int depth, const Proof* proof,
                         uint64_t nodes) noexcept nogil:
    if (prover.samples == NULL or proof.drawn or prover.sampled == prover.room
            or draw(&prover.random) % prover.rarity > nodes):
        return
    add_sample(prover, state, prover.played + depth, proof.phi == 0)


include "nineboard_bounded.pxi"
include "nineboard_face.pxi"
include "nineboard_training.pxi"
