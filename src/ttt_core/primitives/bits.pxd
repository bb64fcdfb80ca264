"""Bit operations on 64-bit words."""

from libc.stdint cimport uint64_t

cimport ttt_core.primitives.platform

cdef extern from *:
    int popcount "ttt_popcount"(uint64_t word) noexcept nogil
    int lowest "ttt_lowest"(uint64_t word) noexcept nogil
    # The place of the highest bit of a nonzero word: its binary logarithm.
    int log2 "ttt_log2"(uint64_t word) noexcept nogil
    uint64_t swap_bytes "ttt_swap_bytes"(uint64_t word) noexcept nogil
    # The n-th set bit of `word`, counted from 0 at the lowest; `word` has more than n set bits.
    uint64_t nth_bit "ttt_nth_bit"(uint64_t word, int n) noexcept nogil
    # Eight bits as eight bytes of 0 or 1, the lowest bit first in memory.
    uint64_t spread "ttt_spread"(uint64_t byte) noexcept nogil
    # Whether one of eight sets of bits lies within `word`.
    bint contains "ttt_contains"(uint64_t word, const uint64_t* sets) noexcept nogil
    # The condition, with a hint to the compiler that it is usually true.
    bint likely "ttt_likely"(bint condition) noexcept nogil
    # C's assert, compiled in only if TTT_DEBUG=1.
    void expect "assert"(bint condition) noexcept nogil


# A bijective mixing function: every output bit depends on every input bit (the finaliser of
# MurmurHash3 with the constants of Stafford's variant 13).
cdef inline uint64_t mix(uint64_t word) noexcept nogil:
    word = (word ^ (word >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    word = (word ^ (word >> 27)) * <uint64_t> 0x94D049BB133111EB
    return word ^ (word >> 31)
