"""Lines of k cells on a grid whose cells are the bits of one word.

A line is a start cell and a stride. For each direction `start` holds the cells from which a line
of k stays on the grid. ANDing the stones with shifted copies of themselves leaves a bit at the
start of every run of k; `start` drops the runs that wrap around an edge, so rows need no padding.
"""

from libc.stdint cimport uint8_t, uint16_t, uint64_t

from ttt_core.primitives.bits cimport lowest

cdef enum:
    DIRECTIONS = 13  # of a three-dimensional grid; a flat one has 4
    DOUBLINGS = 6    # 2^6 = 64 cells

ctypedef struct Lines:
    int length
    int directions
    int steps
    int stride[DIRECTIONS]
    int shift[DIRECTIONS][DOUBLINGS]
    uint64_t start[DIRECTIONS]

# For grids of at most nine cells: the results for each of the 512 sets of stones.
ctypedef struct LineTable:
    uint8_t lined[512]
    uint16_t wins[512]


# The lines of `length` on a grid of x, y, z cells, cell = dx * x + dy * y + dz * z.
cdef inline void find_lines(Lines* lines, int length, int x, int y, int z,
                            int dx, int dy, int dz) noexcept nogil:
    cdef int i, j, k, ei, ej, ek, step, covered
    cdef uint64_t start
    lines.length = length
    lines.directions = 0
    for ei in range(-1, 2):
        for ej in range(-1, 2):
            for ek in range(-1, 2):
                # Of a direction and its reverse only the one with the positive stride.
                if ei * dx + ej * dy + ek * dz <= 0:
                    continue
                start = 0
                for i in range(x):
                    for j in range(y):
                        for k in range(z):
                            if (0 <= i + (length - 1) * ei < x
                                    and 0 <= j + (length - 1) * ej < y
                                    and 0 <= k + (length - 1) * ek < z):
                                start |= <uint64_t> 1 << (i * dx + j * dy + k * dz)
                # Lines of one cell are the same in every direction: keep one.
                if start and (length > 1 or lines.directions == 0):
                    lines.start[lines.directions] = start
                    lines.stride[lines.directions] = ei * dx + ej * dy + ek * dz
                    lines.directions += 1
    covered = 1
    lines.steps = 0
    while covered < length:
        step = min(covered, length - covered)
        for i in range(lines.directions):
            lines.shift[i][lines.steps] = step * lines.stride[i]
        covered += step
        lines.steps += 1


# Whether the stones contain a line.
cdef inline bint lined(const Lines* lines, uint64_t stones) noexcept nogil:
    cdef uint64_t run, found = 0
    cdef int i, j
    for i in range(lines.directions):
        run = stones
        for j in range(lines.steps):
            run &= run >> lines.shift[i][j]
        found |= run & lines.start[i]
    return found != 0


# All cells of the lines that the stones contain.
cdef inline uint64_t line_cells(const Lines* lines, uint64_t stones) noexcept nogil:
    cdef uint64_t run, found = 0
    cdef int i, j
    for i in range(lines.directions):
        run = lines.start[i]
        for j in range(lines.length):
            run &= stones >> (j * lines.stride[i])
        for j in range(lines.length):
            found |= run << (j * lines.stride[i])
    return found


# The cells without a stone that would complete a line.
cdef inline uint64_t line_wins(const Lines* lines, uint64_t stones) noexcept nogil:
    cdef uint64_t after[64]
    cdef uint64_t before, found = 0
    cdef int i, j, stride, last = lines.length - 1
    for i in range(lines.directions):
        stride = lines.stride[i]
        after[last] = ~(<uint64_t> 0)
        for j in range(last, 0, -1):
            after[j - 1] = after[j] & (stones >> (j * stride))
        before = lines.start[i]
        for j in range(last + 1):
            found |= (before & after[j]) << (j * stride)
            before &= stones >> (j * stride)
    return found & ~stones


# Whether there is a line without `blocked` cells.
cdef inline bint line_open(const Lines* lines, uint64_t blocked) noexcept nogil:
    return lined(lines, ~blocked)


cdef inline void tabulate(LineTable* table, const Lines* lines) noexcept nogil:
    cdef int stones
    for stones in range(512):
        table.lined[stones] = lined(lines, stones)
        table.wins[stones] = <uint16_t> (line_wins(lines, stones) & 511)


cdef inline bint table_lined(const LineTable* table, uint64_t stones) noexcept nogil:
    return table.lined[stones]


# Where a symmetry of a grid of m columns sends a cell: bit 0 exchanges left and right, bit 1 top
# and bottom, bit 2 (square grids only) rows and columns.
cdef inline int grid_image(int m, int n, int symmetry, int cell) noexcept nogil:
    cdef int row = cell // m, column = cell % m
    if symmetry & 1:
        column = m - 1 - column
    if symmetry & 2:
        row = n - 1 - row
    return column * m + row if symmetry & 4 else row * m + column


# Writes all lines as sets of cells to `found`, which has 4 x 64 elements (76 for Qubic), and
# returns their number.
cdef inline int list_lines(const Lines* lines, uint64_t* found) noexcept nogil:
    cdef int i, j, cell, count = 0
    for i in range(lines.directions):
        for cell in range(64):
            if lines.start[i] >> cell & 1:
                found[count] = 0
                for j in range(lines.length):
                    found[count] |= <uint64_t> 1 << (cell + j * lines.stride[i])
                count += 1
    return count


# The image of a set of cells under a permutation of the cells.
cdef inline uint64_t permuted(uint64_t cells, const uint8_t* image) noexcept nogil:
    cdef uint64_t found = 0
    while cells:
        found |= <uint64_t> 1 << image[lowest(cells)]
        cells &= cells - 1
    return found
