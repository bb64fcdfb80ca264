"""Transposition table of the Connect Four solver: one bound of the score per position, in 8 bytes.

The key of a position is multiplied by an odd number, which is a bijection. The high bits of the
product choose a bucket of 8 entries, one cache line; its low 50 bits are stored in the entry. A
table has at least 2^14 buckets, so bucket and entry together hold the whole product: no entry is
ever taken for that of another position.

    bits 14-63   tag: the low bits of the hash
    bits  7-13   the bound of the score + 64
    bit   6      1: lower bound, 0: upper bound
    bits  0-5    work: 1 + the binary logarithm of the nodes it took; 0: an empty entry

The entry of least work is replaced. An entry is one word, so threads may share a table: a reader
sees an old or a new entry, never a mixture.
"""

from libc.stdint cimport uint64_t

from ttt_core.primitives.bits cimport log2
from ttt_core.runtime.atomics cimport load_word, store_word

cdef extern from *:
    """
    /* The entry of a bucket with this tag, NULL if there is none. Takes one load where a vector
       holds a cache line; aligned words are read whole, so no entry is a mixture. */
    static inline uint64_t *ttt_entry(uint64_t *bucket, uint64_t tag) {
    #ifdef TTT_AVX512
        __m512i words = _mm512_xor_epi64(_mm512_load_si512(bucket), _mm512_set1_epi64(tag));
        unsigned found = _mm512_cmplt_epu64_mask(words, _mm512_set1_epi64(1 << 14));
        return found ? bucket + ttt_lowest(found) : NULL;
    #else
        for (int i = 0; i < 8; i++)
            if ((ttt_atomic_load(bucket + i) ^ tag) < 1 << 14)
                return bucket + i;
        return NULL;
    #endif
    }

    /* The entry of least work. */
    static inline uint64_t *ttt_least(uint64_t *bucket) {
    #ifdef TTT_AVX512
        __m512i works = _mm512_and_epi64(_mm512_load_si512(bucket), _mm512_set1_epi64(63));
        __m512i places = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
        works = _mm512_or_epi64(_mm512_slli_epi64(works, 3), places);
        return bucket + (_mm512_reduce_min_epu64(works) & 7);
    #else
        uint64_t *least = bucket;
        unsigned work, smallest = 64;
        for (int i = 0; i < 8; i++) {
            work = ttt_atomic_load(bucket + i) & 63;
            if (work < smallest) {
                smallest = work;
                least = bucket + i;
            }
        }
        return least;
    #endif
    }
    """
    uint64_t* find_entry "ttt_entry"(uint64_t* bucket, uint64_t tag) noexcept nogil
    uint64_t* least_entry "ttt_least"(uint64_t* bucket) noexcept nogil

cdef enum:
    BUCKET = 8
    MIN_BUCKETS = 1 << 14

ctypedef struct Table:
    uint64_t* entries
    int shift                # from a hash to the number of its bucket


cdef inline uint64_t hash_key(uint64_t key) noexcept nogil:
    return (key ^ (key >> 32)) * <uint64_t> 0x9E3779B97F4A7C15


cdef inline uint64_t* bucket(const Table* table, uint64_t hashed) noexcept nogil:
    return table.entries + BUCKET * (hashed >> table.shift)


# The low 14 bits of a position's entry, for `bound_of` and `is_lower`; 0 if there is none.
cdef inline uint64_t probe(const Table* table, uint64_t hashed) noexcept nogil:
    cdef uint64_t tag = hashed << 14
    cdef uint64_t* entry = find_entry(bucket(table, hashed), tag)
    cdef uint64_t word = 0 if entry == NULL else load_word(entry) ^ tag
    return word if word < 1 << 14 else 0


cdef inline int bound_of(uint64_t word) noexcept nogil:
    return <int> (word >> 7) - 64


cdef inline bint is_lower(uint64_t word) noexcept nogil:
    return word >> 6 & 1


# Stores a bound that took `nodes` nodes, at least 1.
cdef inline void store(Table* table, uint64_t hashed, int bound, bint lower,
                       uint64_t nodes) noexcept nogil:
    cdef uint64_t tag = hashed << 14
    cdef uint64_t* entry = find_entry(bucket(table, hashed), tag)
    if entry == NULL:
        entry = least_entry(bucket(table, hashed))
    store_word(entry, tag | <uint64_t> (bound + 64) << 7 | <uint64_t> lower << 6
               | <uint64_t> (log2(nodes) + 1))
