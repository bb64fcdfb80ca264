"""What the Connect Four solver remembers: one bound of a score a position, 8 bytes each.

The key of a position is multiplied by an odd number, which no two keys survive alike. The high bits
of the product choose a bucket of 8 entries, one cache line; the low 50 bits stand in the entry: as a
table has at least 2^14 buckets, no entry is ever taken for another position's.

    bits 14-63   the low bits of the hash
    bits  7-13   the bound of the score + 64
    bit   6      1: at least, 0: at most
    bits  0-5    work: 1 + the logarithm of the nodes it took; 0: an empty entry

The entry of least work is replaced. An entry is one word, so threads may share a table: a reader
sees an old or a new entry, never a mixture.
"""

from libc.stdint cimport uint64_t

from ttt_core.table cimport load, store

cdef extern from *:
    """
    #define ttt_log2(word) (63 - __builtin_clzll(word))
    """
    int log2 "ttt_log2"(uint64_t word) noexcept nogil

cdef enum:
    BUCKET = 8
    LEAST_BUCKETS = 1 << 14

ctypedef struct Table:
    uint64_t* entries
    int shift                # of a hash, to its bucket


cdef inline uint64_t hash_key(uint64_t key) noexcept nogil:
    return (key ^ (key >> 32)) * <uint64_t> 0x9E3779B97F4A7C15


cdef inline uint64_t* bucket(const Table* table, uint64_t hashed) noexcept nogil:
    return table.entries + BUCKET * (hashed >> table.shift)


# What is known of a position, 0 if nothing: for `bound_of` and `is_least`.
cdef inline uint64_t recall(const Table* table, uint64_t hashed) noexcept nogil:
    cdef uint64_t* entry = bucket(table, hashed)
    cdef uint64_t word, found = 0
    cdef int i
    hashed <<= 14
    for i in range(BUCKET):
        word = load(&entry[i]) ^ hashed
        found |= word if word < 1 << 14 else 0
    return found


cdef inline int bound_of(uint64_t word) noexcept nogil:
    return <int> (word >> 7) - 64


cdef inline bint is_least(uint64_t word) noexcept nogil:
    return word >> 6 & 1


cdef inline void remember(Table* table, uint64_t hashed, int bound, bint least,
                          uint64_t nodes) noexcept nogil:
    cdef uint64_t* entry = bucket(table, hashed)
    cdef uint64_t* victim = entry
    cdef uint64_t word, tag = hashed << 14
    cdef int i, work, smallest = 64
    for i in range(BUCKET):
        word = load(&entry[i])
        if word ^ tag < 1 << 14:
            victim = &entry[i]
            break
        work = word & 63
        if work < smallest:
            smallest = work
            victim = &entry[i]
    store(victim, tag | <uint64_t> (bound + 64) << 7 | <uint64_t> least << 6
          | <uint64_t> (log2(nodes) + 1))
