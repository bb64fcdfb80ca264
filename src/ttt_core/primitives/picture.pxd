"""A position cell by cell: the exchange format between a game's own state and the outside."""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memset

from ttt_core.primitives.bits cimport spread

cdef enum:
    CELLS = 81          # of the largest board
    # Values of a picture's `board` besides 0-8:
    ANY_BOARD = 9       # the next move may be on any open board
    NO_BOARD = 10       # no board is in force: the game is over, or has no boards
    UNKNOWN_BOARD = 11  # `arrange` does not check the board in force

ctypedef struct Picture:
    char marks[CELLS + 7]  # 'x', 'o' or '.' in reading order; padded for writing eight at a time
    char owners[9]         # ultimate: the owner of each board, 'x', 'o' or '.'
    char line[CELLS]       # 1 for the cells of a winning line
    int board              # the board in force, 0-8, or one of the values above
    int ply                # the number of marks; even: x is to move


# Writes the marks of at most 64 cells, eight at a time and so up to seven too many. The constants
# are '.', 'x' - '.' and 'o' - '.'.
cdef inline void write_marks(char* marks, int size, uint64_t x, uint64_t o) noexcept nogil:
    cdef uint64_t eight
    cdef int cell
    for cell in range(0, size, 8):
        eight = (<uint64_t> 0x2E2E2E2E2E2E2E2E + 0x4A * spread(x >> cell & 255)
                 + 0x41 * spread(o >> cell & 255))
        memcpy(marks + cell, &eight, 8)


# Fills in the marks and the winning line from bits in reading order: the stones of the side to move
# and of the other side.
cdef inline void show_stones(Picture* picture, int size, uint64_t mine, uint64_t theirs,
                             uint64_t line) noexcept nogil:
    cdef uint64_t x = theirs if picture.ply & 1 else mine
    cdef uint64_t o = mine if picture.ply & 1 else theirs
    cdef int cell
    write_marks(picture.marks, size, x, o)
    memset(picture.line, 0, sizeof(picture.line))
    if line:
        for cell in range(size):
            picture.line[cell] = line >> cell & 1


# Of the `size` cells from `first` on, at most 64, those that hold stones of the side to move (mine)
# or of the other side.
cdef inline uint64_t read_stones(const Picture* picture, int first, int size,
                                 bint mine) noexcept nogil:
    cdef char side = c'x' if (picture.ply & 1) != mine else c'o'
    cdef uint64_t found = 0
    cdef int cell
    for cell in range(size):
        if picture.marks[first + cell] == side:
            found |= <uint64_t> 1 << cell
    return found
