"""The 192 symmetries of Qubic: keys and canonical forms.

As in Zobrist hashing, a stone on a cell has a random number, but the numbers are added. Each image
of a position has such a sum; the least of the 192 sums is the same for all images and is the
position's key. The sums are kept side by side, so adding a stone to all of them, or finding the
least, takes a few vector operations.
"""

from libc.stdint cimport uint64_t

from ttt_core.primitives.bits cimport lowest, mix
from ttt_core.primitives.lines cimport permuted
from ttt_core.games.qubic cimport SYMMETRIES, Rules

ctypedef struct Symmetry:
    const Rules* rules
    uint64_t number[2][64][SYMMETRIES]  # of a side's stone on a cell, in each image


cdef inline void prepare_symmetry(Symmetry* symmetry, const Rules* rules) noexcept nogil:
    cdef int side, cell, i
    symmetry.rules = rules
    for side in range(2):
        for cell in range(64):
            for i in range(SYMMETRIES):
                symmetry.number[side][cell][i] = mix(
                    64 * side + rules.image[i][cell] + <uint64_t> 0x9E3779B97F4A7C15)


# Writes the sums of a position's images to `sums`.
cdef inline void sum_images(const Symmetry* symmetry, uint64_t first, uint64_t second,
                            uint64_t* sums) noexcept nogil:
    cdef const uint64_t* numbers
    cdef uint64_t stones
    cdef int side, i
    for i in range(SYMMETRIES):
        sums[i] = 0
    for side in range(2):
        stones = second if side else first
        while stones:
            numbers = symmetry.number[side][lowest(stones)]
            for i in range(SYMMETRIES):
                sums[i] += numbers[i]
            stones &= stones - 1


# The least sum.
cdef inline uint64_t least_sum(const uint64_t* sums) noexcept nogil:
    cdef uint64_t found = sums[0]
    cdef int i
    for i in range(SYMMETRIES):
        found = min(found, sums[i])
    return found


# The least sum after one more stone.
cdef inline uint64_t least_sum_with(const Symmetry* symmetry, const uint64_t* sums, int side,
                                    int cell) noexcept nogil:
    cdef const uint64_t* numbers = symmetry.number[side][cell]
    cdef uint64_t found = sums[0] + numbers[0]
    cdef int i
    for i in range(SYMMETRIES):
        found = min(found, sums[i] + numbers[i])
    return found


# The symmetry whose image has the sum `wanted`.
cdef inline int symmetry_of(const uint64_t* sums, uint64_t wanted) noexcept nogil:
    cdef int i = 0
    while sums[i] != wanted:
        i += 1
    return i


# Brings a position into canonical form: the image whose two words, the first side's first,
# are the least. Returns the symmetry that maps the position to it.
cdef inline int canonicalise(const Symmetry* symmetry, uint64_t* first,
                             uint64_t* second) noexcept nogil:
    cdef uint64_t a, b, best_a = first[0], best_b = second[0]
    cdef int i, best = 0
    for i in range(1, SYMMETRIES):
        a = permuted(first[0], symmetry.rules.image[i])
        if a > best_a:
            continue
        b = permuted(second[0], symmetry.rules.image[i])
        if a < best_a or b < best_b:
            best, best_a, best_b = i, a, b
    first[0], second[0] = best_a, best_b
    return best
