"""The board of the Connect Four solver: its layout, and what can be read off a word of cells.

Each column is `stride` bits, lowest cell first, with at least one spare bit above it:

    5 13 21 29 37 45 53      `connect4.pyx`: stride 8, for boards of at most 8 columns and 7 rows.
    4 12 20 28 36 44 52      A column is a byte, mirroring swaps the bytes, and the children of a
    3 11 19 27 35 43 51      node are the 8 lanes of a vector.
    2 10 18 26 34 42 50      `connect4wide.pyx`: stride rows + 1, one lane a column, for all others
    1  9 17 25 33 41 49      that fit into 64 bits.
    0  8 16 24 32 40 48

Rows are counted from 1 at the bottom, as in the literature: bit 0 of a column is the odd row 1. The
stride is passed as an argument everywhere, so that it is a constant where it is 8.
"""

from libc.stdint cimport uint64_t

from ttt_core.primitives.bits cimport swap_bytes

cdef enum:
    MOST_COLUMNS = 32
    MOST_ROWS = 64
    PLANES = 5

ctypedef struct Shape:
    int columns, rows, stride
    int cells
    uint64_t board
    uint64_t bottom                    # the lowest cell of each column
    uint64_t odd, even                 # the cells of odd and of even rows
    uint64_t column[MOST_COLUMNS]      # the cells of each column; none past the last
    uint64_t lines[PLANES]             # bit by bit, how many lines of four go through each cell
    uint64_t lower[MOST_ROWS]          # [n]: the cells at least 2n rows below the top one


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
cdef inline uint64_t playable(const Shape* shape, uint64_t discs) noexcept nogil:
    return (discs + shape.bottom) & shape.board


# In each column the lowest of the cells and all above it.
cdef inline uint64_t upward(const Shape* shape, uint64_t cells) noexcept nogil:
    return (cells | ((shape.board & ~cells) + shape.bottom)) & shape.board


cdef inline uint64_t mirrored(const Shape* shape, uint64_t cells, int stride) noexcept nogil:
    cdef uint64_t found = 0
    cdef int _
    if stride == 8:
        return swap_bytes(cells) >> (64 - 8 * shape.columns)
    for _ in range(shape.columns):
        found = (found << stride) | (cells & ((<uint64_t> 1 << stride) - 1))
        cells >>= stride
    return found


# The moves of a side after which the other cannot win at once, when it could not win itself.
# `theirs` are the other's winning cells. None: it has lost, if there is a move at all.
cdef inline uint64_t safe_moves(uint64_t playable, uint64_t theirs) noexcept nogil:
    cdef uint64_t forced = playable & theirs
    cdef uint64_t answers = playable & ~(theirs >> 1)
    answers &= forced if forced else answers
    return 0 if forced & (forced - 1) else answers


cdef inline void shape_board(Shape* shape, int columns, int rows, int stride) noexcept nogil:
    cdef uint64_t line, tally, carry
    cdef int i, j, row, step, length, plane
    shape.columns, shape.rows, shape.stride = columns, rows, stride
    shape.cells = columns * rows
    shape.board = shape.bottom = shape.odd = 0
    for i in range(PLANES):
        shape.lines[i] = 0
    for i in range(MOST_COLUMNS):
        shape.column[i] = 0
    for i in range(columns):
        shape.column[i] = ((<uint64_t> 1 << rows) - 1) << (i * stride)
        shape.board |= shape.column[i]
        shape.bottom |= <uint64_t> 1 << (i * stride)
        for row in range(0, rows, 2):
            shape.odd |= <uint64_t> 1 << (i * stride + row)
    shape.even = shape.board & ~shape.odd
    for i in range(MOST_ROWS):
        shape.lower[i] = 0
        for row in range(rows - 2 * i):
            shape.lower[i] |= shape.bottom << row
    for i in range(64):
        for j in range(4):
            step = 1 if j == 3 else stride - 1 + j
            if i + 3 * step > 63:
                continue
            line = 0
            for length in range(4):
                line |= <uint64_t> 1 << (i + length * step)
            if line & ~shape.board:
                continue
            carry = line
            for plane in range(PLANES):
                tally = shape.lines[plane]
                shape.lines[plane] = tally ^ carry
                carry &= tally
