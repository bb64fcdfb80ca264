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
    typedef TTT_VECTOR(int16_t, 32, 2) ttt_units;
    typedef TTT_VECTOR(uint16_t, 32, 2) ttt_boards;  /* nine boards; the other lanes are unused */

    static inline void ttt_add_row(ttt_units *sums, const int16_t *row) {
        *sums += *(const ttt_units *)row;
    }

    static inline void ttt_add_sums(ttt_units *sums, const ttt_units *more) {
        *sums += *more;
    }

    static inline int ttt_output(const ttt_units *sums) {
        static const ttt_units linear = {-1};
        ttt_units units = *sums & ((*sums > 0) | linear);
    #ifdef TTT_AVX2
        static const ttt_units signs = {1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1, -1};
        __m256i pairs = _mm256_madd_epi16((__m256i)units, (__m256i)signs);
        __m128i four = _mm_add_epi32(_mm256_castsi256_si128(pairs),
                                     _mm256_extracti128_si256(pairs, 1));
        __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
        return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xB1)));
    #else
        int output = 0;
        for (int i = 0; i < 8; i++)
            output += units[i] - units[i + 8];
        return output;
    #endif
    }

    static inline ttt_boards ttt_cells(const uint16_t *stones, const uint16_t *others,
                                       unsigned int excepted, int board) {
        ttt_boards cells = ~(*(const ttt_boards *)stones | *(const ttt_boards *)others
                             | (uint16_t)excepted) & 511;
        cells[board] = 511;
        return cells;
    }

    static inline uint16_t ttt_lane(const ttt_boards *boards, int board) {
        return ((const uint16_t *)boards)[board];
    }

    static inline ttt_boards ttt_exit_rows(const ttt_boards *cells, unsigned int threatened,
                                           unsigned int own, int first, int none) {
        static const ttt_boards bits = {1, 2, 4, 8, 16, 32, 64, 128, 256};
        ttt_boards exits = *cells & (uint16_t)~threatened;
        /* The bits of each element are counted. */
        exits -= (exits >> 1) & 0x5555;
        exits = (exits & 0x3333) + ((exits >> 2) & 0x3333);
        exits = (exits + (exits >> 4) + (exits >> 8)) & 15;
        ttt_boards owned = (ttt_boards)((bits & (uint16_t)own) != 0);
        return ((exits + (uint16_t)first) & ~owned) | ((uint16_t)none & owned);
    }

    static inline unsigned int ttt_boards_within(const ttt_boards *cells, unsigned int within) {
        ttt_boards others = *cells & (uint16_t)~within;
    #ifdef TTT_AVX2
        __m256i none = _mm256_cmpeq_epi16((__m256i)others, _mm256_setzero_si256());
        return 511 & _mm_movemask_epi8(_mm_packs_epi16(_mm256_castsi256_si128(none),
                                                       _mm256_extracti128_si256(none, 1)));
    #else
        unsigned int found = 0;
        for (int i = 0; i < 9; i++)
            found |= (unsigned int)(others[i] == 0) << i;
        return found;
    #endif
    }
    """
    # UNITS sums of weights.
    ctypedef struct Sums "ttt_units":
        pass
    void add_row "ttt_add_row"(Sums* sums, const int16_t* row) noexcept nogil
    void add_sums "ttt_add_sums"(Sums* sums, const Sums* more) noexcept nogil
    # The output for the sums of all rows; ADDED is 8.
    int output_of "ttt_output"(const Sums* sums) noexcept nogil
    # A set of cells for each board.
    ctypedef struct BoardCells "ttt_boards":
        pass
    # Of each board the cells that are not in `stones`, `others` and `excepted`; of `board` all.
    # `stones` and `others` are those of a State: 32 bytes can be read from either.
    BoardCells cells_except "ttt_cells"(const uint16_t* stones, const uint16_t* others,
                                        unsigned int excepted, int board) noexcept nogil
    # Of each board the row of a group from `first` on: the number of its cells that are not in
    # `threatened`; of the boards in `own` it is `none`.
    BoardCells exit_rows "ttt_exit_rows"(const BoardCells* cells, unsigned int threatened,
                                         unsigned int own, int first, int none) noexcept nogil
    uint16_t row_of "ttt_lane"(const BoardCells* rows, int board) noexcept nogil
    # The boards whose cells are all in the set `within`.
    unsigned int boards_within "ttt_boards_within"(const BoardCells* cells,
                                                   unsigned int within) noexcept nogil

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

# What the children by the moves on one board have in common: the rows of the other eight boards, as
# the side sees them that moves in the children. A move there changes no other threats.
ctypedef struct Siblings:
    Sums boards                          # BOARDS
    Sums my_exits[2]                     # MINE if the other side has no threat there, or one
    Sums their_exits[2]                  # THEIRS if I have none there, or one
    BoardCells exits                     # for `wins_in_three`: see sum_siblings


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
# or ROWS, none, if the board has a threat of `own`. Without a branch, which nothing could predict.
cdef inline int exit_feature(int first, int board, unsigned int empty, unsigned int own,
                             unsigned int others) noexcept nogil:
    cdef int feature = first + popcount(empty & ~others)
    return feature + (ROWS - feature) * <int> (own >> board & 1)


# The features of a running game in which nobody can win at once; returns their number.
cdef inline int list_features(const Network* network, const Rules* rules, const State* state,
                              int stones, uint16_t* found) noexcept nogil:
    cdef int side = state.side
    cdef const uint16_t* mine = state.stones[side]
    cdef const uint16_t* theirs = state.stones[1 - side]
    cdef unsigned int my_threats = threats(state, side)
    cdef unsigned int their_threats = threats(state, 1 - side)
    cdef unsigned int empty
    cdef uint64_t cells
    cdef int i, feature, moves, total = 0
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
    moves = find_safe(rules, state, &cells)
    return total + list_others(network, rules, state, stones, cells, moves, found + total)


# Finds the safe cells of the board in force, none if any board is; returns the number of safe
# moves.
cdef inline int find_safe(const Rules* rules, const State* state, uint64_t* cells) noexcept nogil:
    if state.board < 9:
        cells[0] = safe_cells(rules, state, state.board)
        return popcount(cells[0])
    cells[0] = 0
    return count(safe(rules, state))


# The OTHERS features that do not belong to one small board; `find_safe` has found `cells` and
# `moves`.
cdef inline int list_others(const Network* network, const Rules* rules, const State* state,
                            int stones, uint64_t cells, int moves,
                            uint16_t* found) noexcept nogil:
    cdef int side = state.side, board = state.board, i
    found[0] = (JOINT + min(popcount(threats(state, side)), 5) * 6
                + min(popcount(threats(state, 1 - side)), 5))
    found[1] = STONES + stones // 2
    if board < 9:
        i = pattern(&rules.nine, state.stones[side][board], state.stones[1 - side][board])
        found[2] = FORCE + network.board_class[i]
        found[3] = SAFE + moves
        found[4] = MAKING + popcount(cells & network.making[i])
    else:
        found[2] = FORCE + CLASSES
        found[3] = SAFE + min(10 + moves // 8, 15)
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


# Sums up the rows that the children by the moves on a board share; those of threats that they
# cannot have are left out.
cdef inline void sum_siblings(const Network* network, const Rules* rules, const State* node,
                              int board, Siblings* found) noexcept nogil:
    cdef int side = 1 - node.side, i
    cdef const uint16_t* mine = node.stones[side]
    cdef const uint16_t* theirs = node.stones[1 - side]
    cdef unsigned int here = <unsigned int> 1 << board
    cdef unsigned int my_threats = threats(node, side)
    cdef unsigned int their_threats = threats(node, 1 - side)
    cdef BoardCells empties = cells_except(mine, theirs, 0, board)
    cdef BoardCells exits[4]
    memset(found, 0, sizeof(found[0]))
    # The empty cells that do not point into a threat of mine on another board.
    found.exits = cells_except(mine, theirs, my_threats & ~here, board)
    exits[0] = exit_rows(&empties, their_threats, my_threats | here, MINE, ROWS)
    exits[1] = exit_rows(&empties, their_threats | here, my_threats | here, MINE, ROWS)
    exits[2] = exit_rows(&empties, my_threats & ~here, their_threats | here, THEIRS, ROWS)
    exits[3] = exit_rows(&empties, my_threats, their_threats | here, THEIRS, ROWS)
    for i in range(9):
        add_row(&found.my_exits[0], network.rows[row_of(&exits[0], i)])
        add_row(&found.my_exits[1], network.rows[row_of(&exits[1], i)])
        add_row(&found.their_exits[0], network.rows[row_of(&exits[2], i)])
        if my_threats & here:
            add_row(&found.their_exits[1], network.rows[row_of(&exits[3], i)])
        if i != board:
            add_row(&found.boards,
                    network.rows[board_feature(network, rules, i, mine[i], theirs[i])])


# The output for a child, by a move on `board`, with these siblings; `find_safe` has found `cells`
# and `moves`.
cdef inline int evaluate_child(const Network* network, const Rules* rules, const State* child,
                               int stones, int board, uint64_t cells, int moves,
                               const Siblings* siblings) noexcept nogil:
    cdef int side = child.side, i
    cdef unsigned int mine = child.stones[side][board]
    cdef unsigned int theirs = child.stones[1 - side][board]
    cdef unsigned int my_threats = threats(child, side)
    cdef unsigned int their_threats = threats(child, 1 - side)
    cdef unsigned int empty = FULL & ~(mine | theirs)
    cdef uint16_t others[OTHERS]
    cdef Sums sums = siblings.boards
    add_sums(&sums, &siblings.my_exits[their_threats >> board & 1])
    add_sums(&sums, &siblings.their_exits[my_threats >> board & 1])
    add_row(&sums, network.rows[board_feature(network, rules, board, mine, theirs)])
    add_row(&sums, network.rows[exit_feature(MINE, board, empty, my_threats, their_threats)])
    add_row(&sums, network.rows[exit_feature(THEIRS, board, empty, their_threats, my_threats)])
    list_others(network, rules, child, stones, cells, moves, others)
    for i in range(OTHERS):
        add_row(&sums, network.rows[others[i]])
    return output_of(&sums)
