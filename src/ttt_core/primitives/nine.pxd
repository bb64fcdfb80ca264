"""Shared by the games on nine boards of nine cells: tables for one small board, and Zobrist keys.

Boards and cells are numbered alike, in reading order; nine cells are nine bits:

    0 1 2
    3 4 5
    6 7 8
"""

from libc.stdint cimport int16_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memset

from ttt_core.primitives.bits cimport mix, popcount
from ttt_core.primitives.lines cimport (
    Lines, LineTable, find_lines, grid_image, line_cells, list_lines, permuted, table_lined,
    tabulate,
)
from ttt_core.primitives.picture cimport Picture, write_marks

cdef enum:
    FULL = 511         # all nine cells
    PATTERNS = 19683   # 3^9: ways to fill nine cells with mine, theirs and empty

ctypedef struct Nine:
    Lines lines
    LineTable table
    uint64_t line[8]
    uint8_t cell_image[8][9]       # where each of the 8 symmetries sends a cell or board
    uint16_t image[8][512]         # and a set of them
    uint16_t ternary[512]          # a set of cells as the digits 0 and 1 of a ternary number
    uint64_t stone_key[2][81]      # Zobrist keys: a mark of a side in a cell
    uint64_t board_key[10]         # the board in force; 9: any
    uint64_t owner_key[2][9]       # a board owned by a side


cdef inline void prepare_nine(Nine* nine) noexcept nogil:
    cdef int symmetry, cell, column, side
    cdef uint64_t serial = 0
    find_lines(&nine.lines, 3, 3, 3, 1, 1, 3, 64)
    tabulate(&nine.table, &nine.lines)
    list_lines(&nine.lines, nine.line)
    for symmetry in range(8):
        for cell in range(9):
            nine.cell_image[symmetry][cell] = grid_image(3, 3, symmetry, cell)
        for cell in range(512):
            nine.image[symmetry][cell] = <uint16_t> permuted(cell, nine.cell_image[symmetry])
    for cell in range(512):
        nine.ternary[cell] = 0
        for column in range(8, -1, -1):
            nine.ternary[cell] = 3 * nine.ternary[cell] + (cell >> column & 1)
    for side in range(2):
        for cell in range(81):
            serial += 1
            nine.stone_key[side][cell] = mix(serial << 32)
        for cell in range(9):
            serial += 1
            nine.owner_key[side][cell] = mix(serial << 32)
    for cell in range(10):
        serial += 1
        nine.board_key[cell] = mix(serial << 32)


# A small board as a ternary number: digit 1 for mine, 2 for theirs.
cdef inline int pattern(const Nine* nine, uint64_t mine, uint64_t theirs) noexcept nogil:
    return nine.ternary[mine] + 2 * nine.ternary[theirs]


# The image of a move, 9 x board + cell.
cdef inline int move_image(const Nine* nine, int symmetry, int move) noexcept nogil:
    cdef const uint8_t* image = nine.cell_image[symmetry]
    return 9 * image[move // 9] + image[move % 9]


# The sum over all lines without `blocked` cells: `one` for each with one cell of mine, `two` for
# each with two.
cdef inline int open_lines(const Nine* nine, uint64_t mine, uint64_t blocked, int one,
                           int two) noexcept nogil:
    cdef int i, stones, found = 0
    for i in range(8):
        if not nine.line[i] & blocked:
            stones = popcount(nine.line[i] & mine)
            found += one if stones == 1 else two if stones == 2 else 0
    return found


# For every pattern, the value of `open_lines`: mine minus theirs.
cdef inline void line_weights(const Nine* nine, int16_t* found, int one, int two) noexcept nogil:
    cdef int mine, theirs
    for mine in range(512):
        for theirs in range(512):
            if not mine & theirs:
                found[pattern(nine, mine, theirs)] = (
                    open_lines(nine, mine, theirs, one, two)
                    - open_lines(nine, theirs, mine, one, two))


# The cells that make a threat: a line to complete with another cell of `vacant`, the empty cells.
cdef inline unsigned int making_cells(const Nine* nine, unsigned int mine,
                                      unsigned int vacant) noexcept nogil:
    cdef unsigned int rest = vacant, cell, found = 0
    while rest:
        cell = rest & (0 - rest)
        rest ^= cell
        if nine.table.wins[mine | cell] & (vacant ^ cell):
            found |= cell
    return found


# For every pattern, its `making_cells`.
cdef inline void find_making(const Nine* nine, uint16_t* found) noexcept nogil:
    cdef int mine, theirs
    for mine in range(512):
        for theirs in range(512):
            if not mine & theirs:
                found[pattern(nine, mine, theirs)] = <uint16_t> making_cells(
                    nine, mine, FULL & ~(mine | theirs))


# Whether a single last stone can have completed all lines of the stones.
cdef inline bint lined_at_once(const Nine* nine, uint64_t stones) noexcept nogil:
    cdef int cell
    for cell in range(9):
        if stones >> cell & 1 and not table_lined(&nine.table, stones ^ (<uint64_t> 1 << cell)):
            return True
    return False


# Whether a side has a mark in a cell that sends the opponent to the board.
cdef inline bint points_to(const uint16_t* stones, int target) noexcept nogil:
    cdef int board
    for board in range(9):
        if stones[board] >> target & 1:
            return True
    return False


# Whether a side has a mark that sends the opponent to a board of the set.
cdef inline bint points_into(const uint16_t* stones, uint64_t boards) noexcept nogil:
    cdef int board
    for board in range(9):
        if boards >> board & 1 and points_to(stones, board):
            return True
    return False


# The stones' part of the Zobrist key.
cdef inline uint64_t stones_key(const Nine* nine, const uint16_t* first,
                                const uint16_t* second) noexcept nogil:
    cdef uint64_t found = 0
    cdef int move
    for move in range(81):
        if first[move // 9] >> move % 9 & 1:
            found ^= nine.stone_key[0][move]
        if second[move // 9] >> move % 9 & 1:
            found ^= nine.stone_key[1][move]
    return found


# The image of all stones of a side.
cdef inline void stones_image(const Nine* nine, int symmetry, const uint16_t* stones,
                              uint16_t* found) noexcept nogil:
    cdef int board
    for board in range(9):
        found[nine.cell_image[symmetry][board]] = nine.image[symmetry][stones[board]]


# Fills in the marks of x and o.
cdef inline void show_nine(Picture* picture, const uint16_t* first,
                           const uint16_t* second) noexcept nogil:
    cdef int board
    for board in range(9):
        write_marks(picture.marks + 9 * board, 9, first[board], second[board])


# Marks the cells of a side's lines on the boards of a set.
cdef inline void show_lines(const Nine* nine, Picture* picture, const uint16_t* stones,
                            uint64_t boards) noexcept nogil:
    cdef uint64_t line
    cdef int board, cell
    memset(picture.line, 0, sizeof(picture.line))
    for board in range(9):
        if not boards >> board & 1:
            continue
        line = line_cells(&nine.lines, stones[board])
        for cell in range(9):
            picture.line[9 * board + cell] = line >> cell & 1
