"""The network of the proof search: estimates log-odds for the initial proof numbers.

Smaller and faster than the engine's (`evaluations/nineboard_network.pxd`), as it is evaluated at
every new node. A feature has a row of weights, one for each unit. The forward pass:

    accumulator = Σ rows of the position's features
    output      = accumulator[0] + ΣReLU(accumulator[1:8]) - ΣReLU(accumulator[8:16])

The output is the log-odds that the side to move wins, in units of 1 / SCALE. The features are
invariant under the symmetries of the board:

    BOARDS   each small board: its kind (corner, edge, centre) and class (`board_classes.pxd`)
    FORCE    the class of the board in force, or that any is
    MINE     each board on which I do not win at once: the cells that do not point into a threat
    THEIRS   the same for the other side
    JOINT    on how many boards I win at once, and on how many the other side does
    SAFE     how many moves are safe;  MAKING  how many of them make a threat
    STONES   on the board, in pairs
"""

from libc.stdint cimport int16_t, uint16_t, uint64_t
from libc.string cimport memcpy

from ttt_core.primitives.bits cimport popcount
from ttt_core.primitives.cells81 cimport count
from ttt_core.primitives.nine cimport FULL, PATTERNS, find_making, pattern
from ttt_core.games.nineboard cimport Rules, State, safe, safe_cells, threats
from ttt_core.evaluations.board_classes cimport CLASSES, find_classes

cdef enum:
    UNITS = 16
    ADDED = 8                  # units from 1 up to here are added, the rest subtracted
    SCALE = 256                # weights are integers, in units of 1 / SCALE of log-odds
    FEATURES = 36              # the most a position has
    BOARDS = 0
    FORCE = BOARDS + 3 * CLASSES
    MINE = FORCE + CLASSES + 1
    THEIRS = MINE + 10
    JOINT = THEIRS + 10
    SAFE = JOINT + 36
    MAKING = SAFE + 16
    STONES = MAKING + 10
    ROWS = STONES + 41

ctypedef struct Network:
    int16_t rows[ROWS][UNITS]
    uint16_t board_class[PATTERNS]
    uint16_t making[PATTERNS]            # the cells that give me a line to complete


# Fills the network from ROWS x UNITS learned weights.
cdef inline void load_weights(Network* network, const Rules* rules,
                              const int16_t* weights) noexcept nogil:
    find_classes(&rules.nine, network.board_class)
    find_making(&rules.nine, network.making)
    memcpy(network.rows, weights, sizeof(network.rows))


# The features of a running game in which nobody can win at once; returns their number.
cdef inline int list_features(const Network* network, const Rules* rules, const State* state,
                              int stones, uint16_t* found) noexcept nogil:
    cdef int side = state.side, board = state.board
    cdef const uint16_t* mine = state.stones[side]
    cdef const uint16_t* theirs = state.stones[1 - side]
    cdef unsigned int my_threats = threats(state, side)
    cdef unsigned int their_threats = threats(state, 1 - side)
    cdef unsigned int empty
    cdef uint64_t cells
    cdef int i, kind, total = 0
    for i in range(9):
        kind = 2 if i == 4 else i & 1
        found[total] = BOARDS + kind * CLASSES + network.board_class[
            pattern(&rules.nine, mine[i], theirs[i])]
        total += 1
        empty = FULL & ~(mine[i] | theirs[i])
        if not my_threats >> i & 1:
            found[total] = MINE + popcount(empty & ~their_threats)
            total += 1
        if not their_threats >> i & 1:
            found[total] = THEIRS + popcount(empty & ~my_threats)
            total += 1
    found[total] = JOINT + min(popcount(my_threats), 5) * 6 + min(popcount(their_threats), 5)
    found[total + 1] = STONES + stones // 2
    if board < 9:
        cells = safe_cells(rules, state, board)
        i = pattern(&rules.nine, mine[board], theirs[board])
        found[total + 2] = FORCE + network.board_class[i]
        found[total + 3] = SAFE + popcount(cells)
        found[total + 4] = MAKING + popcount(cells & network.making[i])
    else:
        found[total + 2] = FORCE + CLASSES
        found[total + 3] = SAFE + min(10 + count(safe(rules, state)) // 8, 15)
        found[total + 4] = MAKING
    return total + 5


# The forward pass: the network's output for a running game with `stones` on the board.
cdef inline int evaluate_network(const Network* network, const Rules* rules, const State* state,
                                 int stones) noexcept nogil:
    cdef uint16_t features[FEATURES]
    cdef int16_t accumulator[UNITS]
    cdef const int16_t* row
    cdef int i, j, output, total = list_features(network, rules, state, stones, features)
    for j in range(UNITS):
        accumulator[j] = 0
    for i in range(total):
        row = network.rows[features[i]]
        for j in range(UNITS):
            accumulator[j] += row[j]
    output = accumulator[0]
    for j in range(1, ADDED):
        output += max(accumulator[j], <int16_t> 0)
    for j in range(ADDED, UNITS):
        output -= max(accumulator[j], <int16_t> 0)
    return output
