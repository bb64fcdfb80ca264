"""The network of the proof search: estimates log-odds for the initial proof numbers.

Smaller and faster than the engine's (`evaluations/nineboard_network.pxd`), as it is evaluated at
every new node. A feature has a row of weights, one for each unit. The forward pass:

    accumulator = Σ rows of the position's features
    output      = accumulator[0] + ΣReLU(accumulator[1:8]) - ΣReLU(accumulator[8:16])

The output is the log-odds that the side to move wins, in units of 1 / SCALE. The children of a node
differ on one board: what they have in common is summed up once (Siblings).

The features are invariant under the symmetries of the board:

    BOARDS   each small board: its kind (corner, edge, centre) and class (`board_classes.pxd`)
    FORCE    the class of the board in force, or that any is
    MINE     each board on which I do not win at once: the cells that do not point into a threat
    THEIRS   the same for the other side
    JOINT    on how many boards I win at once, and on how many the other side does
    SAFE     how many moves are safe;  MAKING  how many of them make a threat
    STONES   on the board, in pairs
"""

from libc.stdint cimport int16_t, uint16_t, uint64_t
from libc.string cimport memcpy, memset

from ttt_core.primitives.bits cimport popcount
from ttt_core.primitives.cells81 cimport count
from ttt_core.primitives.nine cimport FULL, PATTERNS, find_making, pattern
from ttt_core.games.nineboard cimport Rules, State, safe, safe_cells, threats
from ttt_core.evaluations.board_classes cimport CLASSES, find_classes

cdef extern from *:
    """
    #include <stdint.h>
    typedef int16_t ttt_units __attribute__((vector_size(32), aligned(2), may_alias));
    typedef int32_t ttt_wide_units __attribute__((vector_size(64)));

    static inline void ttt_add_row(ttt_units *sums, const int16_t *row) {
        *sums += *(const ttt_units *)row;
    }

    static inline void ttt_exchange_row(ttt_units *sums, const int16_t *old, const int16_t *row) {
        *sums += *(const ttt_units *)row - *(const ttt_units *)old;
    }

    static inline int ttt_output(const ttt_units *sums) {
        ttt_units units = *sums & (*sums > 0);
        units[0] = (*sums)[0];
        ttt_wide_units wide = __builtin_convertvector(units, ttt_wide_units);
        int output = 0;
        for (int i = 0; i < 16; i++)
            output += i < 8 ? wide[i] : -wide[i];
        return output;
    }
    """
    # UNITS sums of weights.
    ctypedef struct Sums "ttt_units":
        pass
    void add_row "ttt_add_row"(Sums* sums, const int16_t* row) noexcept nogil
    void exchange_row "ttt_exchange_row"(Sums* sums, const int16_t* old,
                                         const int16_t* row) noexcept nogil
    # The output for the sums of all rows; ADDED is 8.
    int output_of "ttt_output"(const Sums* sums) noexcept nogil

cdef enum:
    UNITS = 16
    ADDED = 8                  # units from 1 up to here are added, the rest subtracted
    SCALE = 256                # weights are integers, in units of 1 / SCALE of log-odds
    FEATURES = 36              # the most a position has
    OTHERS = 5                 # of them, those that do not belong to one small board
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
    int16_t rows[ROWS + 1][UNITS]        # the last one is zero
    uint16_t board_class[PATTERNS]
    uint16_t making[PATTERNS]            # the cells that give me a line to complete

# The rows of the small boards, before the move that leads to a child.
ctypedef struct Siblings:
    Sums boards                          # BOARDS
    Sums exits                           # MINE and THEIRS
    uint16_t board[9]                    # the features of each board
    uint16_t my_exits[9]
    uint16_t their_exits[9]
    unsigned int mine                    # threats
    unsigned int theirs


# Fills the network from ROWS x UNITS learned weights.
cdef inline void load_weights(Network* network, const Rules* rules,
                              const int16_t* weights) noexcept nogil:
    find_classes(&rules.nine, network.board_class)
    find_making(&rules.nine, network.making)
    memset(network.rows[ROWS], 0, sizeof(network.rows[ROWS]))
    memcpy(network.rows, weights, ROWS * sizeof(network.rows[0]))


# The kind and class of a board; `mine` and `theirs` are its stones.
cdef inline int board_feature(const Network* network, const Rules* rules, int board,
                              unsigned int mine, unsigned int theirs) noexcept nogil:
    cdef int kind = 2 if board == 4 else board & 1
    return BOARDS + kind * CLASSES + network.board_class[pattern(&rules.nine, mine, theirs)]


# The cells of a board that do not point into a threat of `others`: a feature of the group `first`,
# or ROWS, none, if the board has a threat of `own`.
cdef inline int exit_feature(int first, int board, unsigned int empty, unsigned int own,
                             unsigned int others) noexcept nogil:
    return ROWS if own >> board & 1 else first + popcount(empty & ~others)


# The features of a running game in which nobody can win at once; returns their number.
cdef inline int list_features(const Network* network, const Rules* rules, const State* state,
                              int stones, uint16_t* found) noexcept nogil:
    cdef int side = state.side
    cdef const uint16_t* mine = state.stones[side]
    cdef const uint16_t* theirs = state.stones[1 - side]
    cdef unsigned int my_threats = threats(state, side)
    cdef unsigned int their_threats = threats(state, 1 - side)
    cdef unsigned int empty
    cdef int i, feature, total = 0
    for i in range(9):
        found[total] = board_feature(network, rules, i, mine[i], theirs[i])
        total += 1
        empty = FULL & ~(mine[i] | theirs[i])
        feature = exit_feature(MINE, i, empty, my_threats, their_threats)
        if feature < ROWS:
            found[total] = feature
            total += 1
        feature = exit_feature(THEIRS, i, empty, their_threats, my_threats)
        if feature < ROWS:
            found[total] = feature
            total += 1
    return total + list_others(network, rules, state, stones, found + total)


# The OTHERS features that do not belong to one small board.
cdef inline int list_others(const Network* network, const Rules* rules, const State* state,
                            int stones, uint16_t* found) noexcept nogil:
    cdef int side = state.side, board = state.board, i
    cdef uint64_t cells
    found[0] = (JOINT + min(popcount(threats(state, side)), 5) * 6
                + min(popcount(threats(state, 1 - side)), 5))
    found[1] = STONES + stones // 2
    if board < 9:
        cells = safe_cells(rules, state, board)
        i = pattern(&rules.nine, state.stones[side][board], state.stones[1 - side][board])
        found[2] = FORCE + network.board_class[i]
        found[3] = SAFE + popcount(cells)
        found[4] = MAKING + popcount(cells & network.making[i])
    else:
        found[2] = FORCE + CLASSES
        found[3] = SAFE + min(10 + count(safe(rules, state)) // 8, 15)
        found[4] = MAKING
    return OTHERS


# The network's output for a running game with `stones` on the board.
cdef inline int evaluate_network(const Network* network, const Rules* rules, const State* state,
                                 int stones) noexcept nogil:
    cdef uint16_t features[FEATURES]
    cdef Sums sums
    cdef int i, total = list_features(network, rules, state, stones, features)
    memset(&sums, 0, sizeof(sums))
    for i in range(total):
        add_row(&sums, network.rows[features[i]])
    return output_of(&sums)


# Sums up the rows of the small boards of a node, as the side sees them that moves in its children.
cdef inline void sum_siblings(const Network* network, const Rules* rules, const State* node,
                              Siblings* found) noexcept nogil:
    cdef int side = 1 - node.side, i
    cdef const uint16_t* mine = node.stones[side]
    cdef const uint16_t* theirs = node.stones[1 - side]
    cdef unsigned int empty
    found.mine = threats(node, side)
    found.theirs = threats(node, 1 - side)
    memset(&found.boards, 0, sizeof(found.boards))
    memset(&found.exits, 0, sizeof(found.exits))
    for i in range(9):
        empty = FULL & ~(mine[i] | theirs[i])
        found.board[i] = board_feature(network, rules, i, mine[i], theirs[i])
        found.my_exits[i] = exit_feature(MINE, i, empty, found.mine, found.theirs)
        found.their_exits[i] = exit_feature(THEIRS, i, empty, found.theirs, found.mine)
        add_row(&found.boards, network.rows[found.board[i]])
        add_row(&found.exits, network.rows[found.my_exits[i]])
        add_row(&found.exits, network.rows[found.their_exits[i]])


# The output for a child, which a move on `board` has made, of the node with these siblings.
cdef inline int evaluate_child(const Network* network, const Rules* rules, const State* child,
                               int stones, int board, const Siblings* siblings) noexcept nogil:
    cdef int side = child.side, i
    cdef const uint16_t* mine = child.stones[side]
    cdef const uint16_t* theirs = child.stones[1 - side]
    cdef unsigned int my_threats = threats(child, side)
    cdef unsigned int their_threats = threats(child, 1 - side)
    cdef unsigned int empty = FULL & ~(mine[board] | theirs[board])
    cdef uint16_t others[OTHERS]
    cdef Sums sums = siblings.boards
    exchange_row(&sums, network.rows[siblings.board[board]],
                 network.rows[board_feature(network, rules, board, mine[board], theirs[board])])
    if my_threats == siblings.mine and their_threats == siblings.theirs:
        add_row(&sums, <const int16_t*> &siblings.exits)
        exchange_row(&sums, network.rows[siblings.my_exits[board]], network.rows[
            exit_feature(MINE, board, empty, my_threats, their_threats)])
        exchange_row(&sums, network.rows[siblings.their_exits[board]], network.rows[
            exit_feature(THEIRS, board, empty, their_threats, my_threats)])
    else:
        for i in range(9):
            empty = FULL & ~(mine[i] | theirs[i])
            add_row(&sums, network.rows[exit_feature(MINE, i, empty, my_threats, their_threats)])
            add_row(&sums, network.rows[exit_feature(THEIRS, i, empty, their_threats, my_threats)])
    list_others(network, rules, child, stones, others)
    for i in range(OTHERS):
        add_row(&sums, network.rows[others[i]])
    return output_of(&sums)
