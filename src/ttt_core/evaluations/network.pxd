"""The network behind the learned evaluations of the games on nine boards, and its forward pass.

One hidden layer over binary features, as in NNUE. A feature has a row of weights, one for each
hidden unit; the output weights are fixed at 1 and -1. The forward pass:

    accumulator = Σ rows of the position's features
    output      = Σ clip(accumulator[0:64])² - Σ clip(accumulator[64:128])²,  clip to 0 … 1

The output is the log-odds that the side to move wins. Weights and output are integers, in units of
1 / SCALE. A square can stand for two features that matter together, which a ReLU cannot.

Weights are shared between symmetries. UNITS hidden units are learned; each of them sees the
position under all eight symmetries, which makes HIDDEN units and gives all images of a position the
same output. The learned rows have UNITS weights, the rows used here have HIDDEN:

     0 -  63    symmetry 0: units 0-7,  symmetry 1: units 0-7,   ...   added
    64 - 127    symmetry 0: units 8-15, symmetry 1: units 8-15,  ...   subtracted

Most features depend on one small board alone. Their rows are summed in advance for each board and
each of its patterns (BoardSums), so that a position takes a few rows instead of a hundred.
"""

from libc.stdint cimport int16_t, uint8_t, uint16_t
from libc.string cimport memcpy, memset

from ttt_core.primitives.bits cimport lowest, popcount
from ttt_core.primitives.nine cimport FULL, PATTERNS, Nine, pattern
from ttt_core.evaluations.board_classes cimport CLASSES

cdef extern from *:
    """
    enum { TTT_UNITS = 16, TTT_VECTORS = 8 * TTT_UNITS / 32, TTT_SCALE = 1024 };
    typedef TTT_VECTOR(int16_t, 64, 32) ttt_vector;

    TTT_INLINE int ttt_forward(int16_t *sums, int fresh, const int16_t *const *added,
                               const int16_t *const *removed, int changes,
                               const int16_t *const *rows, int total) {
        ttt_vector accumulator[TTT_VECTORS] = {{0}};
        ttt_vector *kept = (ttt_vector *)sums;
        ttt_vector clipped[TTT_VECTORS];
        const int16_t *unit = (const int16_t *)clipped;
        int32_t added_squares = 0, subtracted_squares = 0;
        if (fresh) {
            for (int i = 0; i < 9; i++) {
                const ttt_vector *row = (const ttt_vector *)added[i];
                for (int j = 0; j < TTT_VECTORS; j++)
                    accumulator[j] += row[j];
            }
        } else {
            for (int j = 0; j < TTT_VECTORS; j++)
                accumulator[j] = kept[j];
            for (int i = 0; i < changes; i++) {
                const ttt_vector *more = (const ttt_vector *)added[i];
                const ttt_vector *less = (const ttt_vector *)removed[i];
                for (int j = 0; j < TTT_VECTORS; j++)
                    accumulator[j] += more[j] - less[j];
            }
        }
        for (int j = 0; j < TTT_VECTORS; j++)
            kept[j] = accumulator[j];
        for (int i = 0; i < total; i++) {
            const ttt_vector *row = (const ttt_vector *)rows[i];
            for (int j = 0; j < TTT_VECTORS; j++)
                accumulator[j] += row[j];
        }
        for (int j = 0; j < TTT_VECTORS; j++) {
            ttt_vector sum = accumulator[j] & (accumulator[j] > 0), above = sum > TTT_SCALE;
            clipped[j] = (sum & ~above) | (TTT_SCALE & above);
        }
        for (int i = 0; i < 4 * TTT_UNITS; i++)
            added_squares += unit[i] * unit[i];
        for (int i = 4 * TTT_UNITS; i < 8 * TTT_UNITS; i++)
            subtracted_squares += unit[i] * unit[i];
        return (added_squares - subtracted_squares) / TTT_SCALE;
    }
    """
    # The forward pass. `sums` becomes the sum of the nine rows `added` (fresh), or what it was with
    # `changes` rows added and removed; the output is for that sum and `total` further rows. Rows
    # and sums lie at multiples of 32 bytes.
    int forward "ttt_forward"(int16_t* sums, bint fresh, const int16_t* const* added,
                              const int16_t* const* removed, int changes,
                              const int16_t* const* rows, int total) noexcept nogil

cdef enum:
    UNITS = 16                 # TTT_UNITS: the learned hidden units
    HIDDEN = 8 * UNITS
    SCALE = 1024               # TTT_SCALE: stands for a weight of 1
    MAX_LEARNED_ROWS = 6600
    MOST_CHANGES = 4           # more boards than these are summed up anew
    OPEN_PATTERNS = 11093      # patterns without a line and with an empty cell

# The sum of the rows of the nine small boards in one position. The next position evaluated with it
# only adds and removes the rows of boards that differ: one, between siblings in a search.
ctypedef struct Accumulator:
    int16_t memory[HIDDEN + 32]          # the sums, from the first multiple of 64 bytes
    const int16_t* row[9]                # of each board; NULL: no position yet
    uint16_t stones[2][9]                # of the side to move and of the other side
    int total                            # their number

# Where each symmetry sends the learned rows.
ctypedef struct Images:
    uint16_t row[8][MAX_LEARNED_ROWS]

# What the sums of a board need to know about an open pattern. Index 0 is the side to move.
ctypedef struct OpenPattern:
    uint16_t stones[2]
    uint16_t wins[2]           # the cells that complete a line
    uint16_t properties        # bit 0: of the side to move, bit 1: of the other side
    uint16_t kind              # its class

# The sums of sets of cells on one board, and the rows of its classes.
ctypedef struct SumParts:
    int16_t stones[2][512][HIDDEN]
    int16_t wins[2][512][HIDDEN]
    int16_t kinds[CLASSES][HIDDEN]

# Sums of the rows of one small board's features, by its pattern.
ctypedef struct BoardSums:
    int16_t board[9][OPEN_PATTERNS][HIDDEN]
    int16_t in_force[OPEN_PATTERNS][HIDDEN]    # added once more where the board is in force
    SumParts parts                             # while the sums are made
    OpenPattern patterns[OPEN_PATTERNS]
    uint16_t index[PATTERNS]                   # of a pattern among the open ones

# A property that a side's stones give a small board; `empty` are its empty cells.
ctypedef bint (*Property)(const Nine* nine, unsigned int stones,
                          unsigned int empty) noexcept nogil

# The features of one small board: the first row of each group. Groups of a side have the rows of
# the side to move first, then those of the other side. `wins` are the cells that complete a line.
ctypedef struct BoardGroups:
    int stones                 # 81 cells a side
    int wins                   # 81 cells a side
    int property               # 9 boards a side: those that have it
    int classes                # CLASSES for each of the 9 boards
    int force_stones           # of the board in force: 9 cells a side
    int force_wins             # 9 cells a side
    int force_class            # CLASSES
    Property has_property


# --- symmetries ----------------------------------------------------------------------------------

# Maps every row to itself; `map_boards` and `map_cells` then map those that symmetries move.
cdef inline void fix_rows(Images* images, int rows) noexcept nogil:
    cdef int symmetry, row
    for symmetry in range(8):
        for row in range(rows):
            images.row[symmetry][row] = <uint16_t> row


# Maps `groups` groups of nine boards (or of nine cells of one board), `width` rows to each.
cdef inline void map_boards(Images* images, const Nine* nine, int first, int groups,
                            int width) noexcept nogil:
    cdef const uint8_t* image
    cdef int symmetry, group, board, i, start
    for symmetry in range(8):
        image = nine.cell_image[symmetry]
        for group in range(groups):
            start = first + 9 * width * group
            for board in range(9):
                for i in range(width):
                    images.row[symmetry][start + board * width + i] = <uint16_t> (
                        start + image[board] * width + i)


# Maps `groups` groups of 81 cells.
cdef inline void map_cells(Images* images, const Nine* nine, int first,
                           int groups) noexcept nogil:
    cdef const uint8_t* image
    cdef int symmetry, group, cell, start
    for symmetry in range(8):
        image = nine.cell_image[symmetry]
        for group in range(groups):
            start = first + 81 * group
            for cell in range(81):
                images.row[symmetry][start + cell] = <uint16_t> (
                    start + 9 * image[cell // 9] + image[cell % 9])


# --- rows ----------------------------------------------------------------------------------------

cdef inline void add_row(int16_t* sums, const int16_t* row) noexcept nogil:
    cdef int i
    for i in range(HIDDEN):
        sums[i] += row[i]


# Adds a learned row: its eight images, side by side.
cdef inline void add_learned(int16_t* sums, const Images* images, const int16_t* weights,
                             int row) noexcept nogil:
    cdef const int16_t* image
    cdef int symmetry, unit, half = UNITS // 2
    for symmetry in range(8):
        image = &weights[images.row[symmetry][row] * UNITS]
        for unit in range(half):
            sums[symmetry * half + unit] += image[unit]
            sums[(8 + symmetry) * half + unit] += image[half + unit]


# Appends the rows of a set of cells or boards to a list; returns its new length.
cdef inline int list_set(const int16_t** rows, int total, const int16_t* first,
                         unsigned int cells) noexcept nogil:
    while cells:
        rows[total] = first + HIDDEN * lowest(cells)
        cells &= cells - 1
        total += 1
    return total


# The boards on which a position differs from the accumulator's, which takes over its stones.
cdef inline unsigned int changed_boards(Accumulator* near, const uint16_t* mine,
                                        const uint16_t* theirs) noexcept nogil:
    cdef unsigned int found = 0, rest
    cdef int board
    if near.row[0] == NULL:
        memset(near.stones, 0, sizeof(near.stones))
        near.total = 0
        found = FULL
    for board in range(9):
        found |= <unsigned int> (((near.stones[0][board] ^ mine[board])
                                  | (near.stones[1][board] ^ theirs[board])) != 0) << board
    rest = found
    while rest:
        board = lowest(rest)
        rest &= rest - 1
        near.total += (popcount(mine[board] | theirs[board])
                       - popcount(near.stones[0][board] | near.stones[1][board]))
        near.stones[0][board] = mine[board]
        near.stones[1][board] = theirs[board]
    return found


# The output for the accumulator's position after the rows of the boards `changed` have become
# `fresh` (by board), and for `total` further rows.
cdef inline int forward_from(Accumulator* near, unsigned int changed, const int16_t** fresh,
                             const int16_t** rows, int total) noexcept nogil:
    cdef const int16_t* added[9]
    cdef const int16_t* removed[9]
    cdef int16_t* sums = <int16_t*> ((<size_t> near.memory + 63) & ~<size_t> 63)
    cdef int board, changes = 0
    while changed:
        board = lowest(changed)
        changed &= changed - 1
        added[changes] = fresh[board]
        removed[changes] = near.row[board]
        near.row[board] = fresh[board]
        changes += 1
    if changes > MOST_CHANGES:
        return forward(sums, True, near.row, removed, 0, rows, total)
    return forward(sums, False, added, removed, changes, rows, total)


# Appends the features of a set of cells or boards to a list; returns its new length.
cdef inline int list_cells(uint16_t* features, int total, int first,
                           unsigned int cells) noexcept nogil:
    while cells:
        features[total] = <uint16_t> (first + lowest(cells))
        cells &= cells - 1
        total += 1
    return total


# --- small boards --------------------------------------------------------------------------------

# The sum of five rows.
cdef inline void sum_rows(int16_t* sums, const int16_t* a, const int16_t* b, const int16_t* c,
                          const int16_t* d, const int16_t* e) noexcept nogil:
    cdef int i
    for i in range(HIDDEN):
        sums[i] = a[i] + b[i] + c[i] + d[i] + e[i]


# The sums of the rows of each set of nine cells; `first` is the row of cell 0.
cdef inline void sum_subsets(int16_t[HIDDEN]* sums, const int16_t* first) noexcept nogil:
    cdef int cells
    memset(sums[0], 0, HIDDEN * sizeof(int16_t))
    for cells in range(1, 512):
        memcpy(sums[cells], sums[cells & (cells - 1)], HIDDEN * sizeof(int16_t))
        add_row(sums[cells], first + HIDDEN * lowest(cells))


# Numbers the open patterns and lists what the sums of a board need to know about each.
cdef inline void list_patterns(BoardSums* sums, const BoardGroups* groups, const Nine* nine,
                               const uint16_t* board_class) noexcept nogil:
    cdef OpenPattern* found = sums.patterns
    cdef int mine, theirs, number, index = 0
    cdef unsigned int empty
    memset(sums.index, 0, sizeof(sums.index))
    for mine in range(512):
        for theirs in range(512):
            if (mine & theirs or mine | theirs == FULL
                    or nine.table.lined[mine] or nine.table.lined[theirs]):
                continue
            empty = FULL & ~(mine | theirs)
            number = pattern(nine, mine, theirs)
            sums.index[number] = <uint16_t> index
            found[index].stones[0] = <uint16_t> mine
            found[index].stones[1] = <uint16_t> theirs
            found[index].wins[0] = <uint16_t> (nine.table.wins[mine] & empty)
            found[index].wins[1] = <uint16_t> (nine.table.wins[theirs] & empty)
            found[index].properties = (groups.has_property(nine, mine, empty)
                                       | groups.has_property(nine, theirs, empty) << 1)
            found[index].kind = board_class[number]
            index += 1


# The sums of one board in all patterns; `property` is the row of the side to move, NULL if the
# board in force is meant, which has no such rows.
cdef inline void sum_board(int16_t[HIDDEN]* found, BoardSums* sums, const int16_t* rows, int stones,
                           int wins, int side_rows, const int16_t* property, const Images* images,
                           const int16_t* weights, int classes) noexcept nogil:
    cdef SumParts* parts = &sums.parts
    cdef const OpenPattern* here
    cdef int i, side
    for side in range(2):
        sum_subsets(parts.stones[side], rows + HIDDEN * (stones + side_rows * side))
        sum_subsets(parts.wins[side], rows + HIDDEN * (wins + side_rows * side))
    memset(parts.kinds, 0, sizeof(parts.kinds))
    for i in range(CLASSES):
        add_learned(parts.kinds[i], images, weights, classes + i)
    for i in range(OPEN_PATTERNS):
        here = &sums.patterns[i]
        sum_rows(found[i], parts.stones[0][here.stones[0]], parts.stones[1][here.stones[1]],
                 parts.wins[0][here.wins[0]], parts.wins[1][here.wins[1]], parts.kinds[here.kind])
        if property != NULL and here.properties & 1:
            add_row(found[i], property)
        if property != NULL and here.properties & 2:
            add_row(found[i], property + 9 * HIDDEN)


# The sums of all patterns. `rows` are those of all groups but the classes, HIDDEN weights each;
# `weights` are the learned rows. The rows of each set of cells are summed up first, so that a sum
# takes five to seven rows instead of twelve.
cdef inline void sum_boards(BoardSums* sums, const BoardGroups* groups, const Nine* nine,
                            const Images* images, const int16_t* rows, const int16_t* weights,
                            const uint16_t* board_class) noexcept nogil:
    cdef int board
    list_patterns(sums, groups, nine, board_class)
    for board in range(9):
        sum_board(sums.board[board], sums, rows, groups.stones + 9 * board,
                  groups.wins + 9 * board, 81, rows + HIDDEN * (groups.property + board), images,
                  weights, groups.classes + board * CLASSES)
    sum_board(sums.in_force, sums, rows, groups.force_stones, groups.force_wins, 9, NULL, images,
              weights, groups.force_class)


# Appends the features of one small board to a list; returns its new length.
cdef inline int list_board(uint16_t* features, int total, const BoardGroups* groups,
                           const Nine* nine, const uint16_t* board_class, int board,
                           bint in_force, unsigned int mine,
                           unsigned int theirs) noexcept nogil:
    cdef unsigned int empty = FULL & ~(mine | theirs)
    cdef unsigned int[2] stones = [mine, theirs]
    cdef unsigned int wins
    cdef int side, kind = board_class[pattern(nine, mine, theirs)]
    features[total] = <uint16_t> (groups.classes + board * CLASSES + kind)
    total += 1
    if in_force:
        features[total] = <uint16_t> (groups.force_class + kind)
        total += 1
    for side in range(2):
        wins = nine.table.wins[stones[side]] & empty
        total = list_cells(features, total, groups.stones + 81 * side + 9 * board, stones[side])
        total = list_cells(features, total, groups.wins + 81 * side + 9 * board, wins)
        if groups.has_property(nine, stones[side], empty):
            features[total] = <uint16_t> (groups.property + 9 * side + board)
            total += 1
        if in_force:
            total = list_cells(features, total, groups.force_stones + 9 * side, stones[side])
            total = list_cells(features, total, groups.force_wins + 9 * side, wins)
    return total
