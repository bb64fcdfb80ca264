"""Bit layout of the Connect Four solver's boards, and what can be read off a word of cells.

A column is `stride` bits, lowest cell first, with at least one spare bit above it. With stride 8:

    5 13 21 29 37 45 53
    4 12 20 28 36 44 52
    3 11 19 27 35 43 51
    2 10 18 26 34 42 50
    1  9 17 25 33 41 49
    0  8 16 24 32 40 48

`solver.pyx` has stride 8 and takes boards of at most 8 columns and 7 rows: a column is a byte,
swapping bytes mirrors the board, and loops over the columns vectorise. `wide.pyx` has stride
rows + 1 and takes every other board that fits into 64 bits.

Rows are counted from 1 at the bottom, as in the literature: bit 0 of a column is the odd row 1. The
stride is an argument wherever it is needed, so that the compiler sees a constant where it is 8.
"""

from libc.stdint cimport uint64_t

from ttt_core.primitives.bits cimport swap_bytes

cdef enum:
    WORD_COLUMNS = 32        # the most columns a word holds, each of one cell and a spare bit
    WORD_ROWS = 64
    PLANES = 5               # bits of the number of lines through a cell

ctypedef struct Layout:
    int columns, rows, stride
    int cells
    uint64_t board                     # all cells
    uint64_t bottom                    # the lowest cell of each column
    uint64_t odd, even                 # the cells of odd and of even rows
    uint64_t column[WORD_COLUMNS]      # the cells of each column; 0 past the last
    uint64_t lines[PLANES]             # [i]: bit i of the number of lines of four through each cell
    uint64_t lower[WORD_ROWS]          # [n]: the cells at least 2n rows below the top one


# The cells, on the board or not, that would complete four in a row of the discs.
cdef inline uint64_t completions(uint64_t discs, int stride) noexcept nogil:
    cdef uint64_t pair, found = (discs << 1) & (discs << 2) & (discs << 3)
    cdef int step
    for step in range(stride - 1, stride + 2):
        pair = (discs << step) & (discs << 2 * step)
        found |= pair & ((discs << 3 * step) | (discs >> step))
        pair = (discs >> step) & (discs >> 2 * step)
        found |= pair & ((discs >> 3 * step) | (discs << step))
    return found


# Whether four of the cells lie in a row.
cdef inline bint has_four(uint64_t cells, int stride) noexcept nogil:
    cdef uint64_t pair = cells & (cells >> 1)
    cdef uint64_t found = pair & (pair >> 2)
    cdef int step
    for step in range(stride - 1, stride + 2):
        pair = cells & (cells >> step)
        found |= pair & (pair >> 2 * step)
    return found != 0


# The first empty cell of each column.
cdef inline uint64_t playable(const Layout* layout, uint64_t discs) noexcept nogil:
    return (discs + layout.bottom) & layout.board


# In each column the lowest of the cells and all cells above it.
cdef inline uint64_t upward(const Layout* layout, uint64_t cells) noexcept nogil:
    return (cells | ((layout.board & ~cells) + layout.bottom)) & layout.board


# The cells with left and right exchanged.
cdef inline uint64_t mirrored(const Layout* layout, uint64_t cells, int stride) noexcept nogil:
    cdef uint64_t found = 0
    cdef int _
    if stride == 8:
        return swap_bytes(cells) >> (64 - 8 * layout.columns)
    for _ in range(layout.columns):
        found = (found << stride) | (cells & ((<uint64_t> 1 << stride) - 1))
        cells >>= stride
    return found


# The moves of a side that cannot win at once after which the opponent cannot win at once either.
# `theirs` are the opponent's winning cells. None: it loses, if it has a move at all.
cdef inline uint64_t safe_moves(uint64_t playable, uint64_t theirs) noexcept nogil:
    cdef uint64_t forced = playable & theirs
    cdef uint64_t safe = playable & ~(theirs >> 1)
    safe &= forced if forced else safe
    return 0 if forced & (forced - 1) else safe


cdef inline void prepare_layout(Layout* layout, int columns, int rows, int stride) noexcept nogil:
    cdef uint64_t line, plane, carry
    cdef int i, j, row, step, length
    layout.columns, layout.rows, layout.stride = columns, rows, stride
    layout.cells = columns * rows
    layout.board = layout.bottom = layout.odd = 0
    for i in range(PLANES):
        layout.lines[i] = 0
    for i in range(WORD_COLUMNS):
        layout.column[i] = 0
    for i in range(columns):
        layout.column[i] = ((<uint64_t> 1 << rows) - 1) << (i * stride)
        layout.board |= layout.column[i]
        layout.bottom |= <uint64_t> 1 << (i * stride)
        for row in range(0, rows, 2):
            layout.odd |= <uint64_t> 1 << (i * stride + row)
    layout.even = layout.board & ~layout.odd
    for i in range(WORD_ROWS):
        layout.lower[i] = 0
        for row in range(rows - 2 * i):
            layout.lower[i] |= layout.bottom << row
    # Adds 1 to the count of each cell of each line, with the counts in bit planes.
    for i in range(64):
        for j in range(4):
            step = 1 if j == 3 else stride - 1 + j
            if i + 3 * step > 63:
                continue
            line = 0
            for length in range(4):
                line |= <uint64_t> 1 << (i + length * step)
            if line & ~layout.board:
                continue
            carry = line
            for row in range(PLANES):
                plane = layout.lines[row]
                layout.lines[row] = plane ^ carry
                carry &= plane
