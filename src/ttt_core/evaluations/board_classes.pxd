"""Classes of similar small boards: features of the learned evaluations of nine-board and ultimate.

Two boards are in one class if they have the same number of cells that win at once, of lines with
one stone and two empty cells (both for each side), of empty lines and of empty cells. A board with
a line has no class; it gets number 0, as the empty board does.
"""

from libc.stdint cimport int32_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from ttt_core.primitives.bits cimport popcount
from ttt_core.primitives.nine cimport FULL, Nine, pattern

cdef enum:
    CLASSES = 581
    CODES = 4096               # slots to look codes up in: a power of two


# The counts that define a small board's class, in one number; 0 if the board has a line.
cdef inline int class_code(const Nine* nine, uint64_t mine, uint64_t theirs) noexcept nogil:
    cdef uint64_t empty = FULL & ~(mine | theirs)
    cdef int i, mine_open = 0, theirs_open = 0, free = 0
    if nine.table.lined[mine] or nine.table.lined[theirs]:
        return 0
    for i in range(8):
        if popcount(nine.line[i] & empty) == 2:
            mine_open += nine.line[i] & mine != 0
            theirs_open += nine.line[i] & theirs != 0
        free += nine.line[i] & empty == nine.line[i]
    return 1 + (popcount(empty) + 10 * (free + 9 * (
        theirs_open + 8 * (mine_open + 8 * (
            popcount(nine.table.wins[theirs] & empty)
            + 6 * popcount(nine.table.wins[mine] & empty))))))


# Fills in the class of each pattern. Classes are numbered in order of appearance.
cdef inline void find_classes(const Nine* nine, uint16_t* board_class) noexcept nogil:
    cdef int32_t codes[CODES]
    cdef uint16_t classes[CODES]
    cdef int mine, theirs, place, code, found = 0
    cdef uint32_t slot
    memset(codes, 0, sizeof(codes))
    for mine in range(512):
        for theirs in range(512):
            if mine & theirs:
                continue
            place = pattern(nine, mine, theirs)
            board_class[place] = 0
            code = class_code(nine, mine, theirs)
            if not code:
                continue
            slot = <uint32_t> code * <uint32_t> 0x9E3779B9 >> 20
            while codes[slot] and codes[slot] != code:
                slot = (slot + 1) % CODES
            if not codes[slot]:
                codes[slot] = code
                classes[slot] = <uint16_t> found
                found += 1
            board_class[place] = classes[slot]
