"""Networks of one hidden layer, for the learned evaluations of the games on nine boards.

A position is a list of features, each the number of a row of weights. The rows are added up lane by
lane; of each lane's sum what is positive is added to the result or, in the second half of the
lanes, taken off.

Learned are some units; the eight symmetries of the board make eight lanes of each, so that all
images of a position are worth the same. The lanes of the units that are added come first, those of
a symmetry side by side.
"""

from libc.stdint cimport int16_t, uint16_t

from ttt_core.primitives.bits cimport lowest

cdef extern from *:
    """
    #include <stdint.h>
    typedef int16_t ttt_lanes __attribute__((vector_size(64), aligned(32), may_alias));
    typedef int32_t ttt_pairs __attribute__((vector_size(64), may_alias));
    enum { TTT_MOST_PARTS = 4 };  /* of 32 lanes: half of a net's are added, half taken off */

    static inline __attribute__((always_inline))
    int ttt_add_rows(const int16_t *const *rows, int total, const int units) {
        const int parts = units / 4;
        ttt_lanes sums[TTT_MOST_PARTS] = {{0}};
        ttt_pairs wide = {0};
        int result = 0;
        for (int i = 0; i < total; i++) {
            const ttt_lanes *row = (const ttt_lanes *)rows[i];
            for (int part = 0; part < parts; part++)
                sums[part] += row[part];
        }
        for (int part = 0; part < parts / 2; part++) {
            ttt_pairs more = (ttt_pairs)(sums[part] & (sums[part] > 0));
            ttt_pairs less = (ttt_pairs)(sums[part + parts / 2] & (sums[part + parts / 2] > 0));
            wide += (more >> 16) + (more & 0xFFFF) - (less >> 16) - (less & 0xFFFF);
        }
        for (int lane = 0; lane < 16; lane++)
            result += wide[lane];
        return result;
    }
    """
    # The sum of the positive lanes of some rows, the second half taken off. `units` is a constant,
    # a multiple of 8 and at most 16: the loops over the lanes are unrolled. Rows lie at multiples
    # of 32 bytes.
    int add_rows "ttt_add_rows"(const int16_t* const* rows, int total, int units) noexcept nogil


cdef inline void add_row(int16_t* lanes, const int16_t* row, int units) noexcept nogil:
    cdef int i
    for i in range(8 * units):
        lanes[i] += row[i]


# Adds the rows of a set of cells or boards; `first` is that of the first one.
cdef inline void add_set(int16_t* lanes, const int16_t* first, unsigned int cells,
                         int units) noexcept nogil:
    while cells:
        add_row(lanes, first + 8 * units * lowest(cells), units)
        cells &= cells - 1


# Lists them instead, and returns how many rows there are now.
cdef inline int list_set(const int16_t** rows, int total, const int16_t* first,
                         unsigned int cells, int units) noexcept nogil:
    while cells:
        rows[total] = first + 8 * units * lowest(cells)
        cells &= cells - 1
        total += 1
    return total


# Adds the weights that learned units have for a symmetry's image of a row.
cdef inline void add_image(int16_t* lanes, int symmetry, const int16_t* image,
                           int units) noexcept nogil:
    cdef int unit, half = units // 2
    for unit in range(half):
        lanes[symmetry * half + unit] += image[unit]
        lanes[(8 + symmetry) * half + unit] += image[half + unit]


# Lists a set of cells or boards as features and returns how many there are now.
cdef inline int list_cells(uint16_t* features, int total, int first,
                           unsigned int cells) noexcept nogil:
    while cells:
        features[total] = <uint16_t> (first + lowest(cells))
        cells &= cells - 1
        total += 1
    return total
