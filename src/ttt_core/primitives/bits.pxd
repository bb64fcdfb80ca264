"""Bit operations on 64-bit words."""

from libc.stdint cimport uint64_t

cdef extern from *:
    """
    #include <assert.h>
    #include <stdint.h>
    #ifdef __BMI2__
    #include <immintrin.h>
    #endif
    #define ttt_likely(condition) __builtin_expect(!!(condition), 1)

    static inline uint64_t ttt_nth_bit(uint64_t word, int n) {
    #ifdef __BMI2__
        return _pdep_u64(UINT64_C(1) << n, word);
    #else
        while (n--)
            word &= word - 1;
        return word & (0 - word);
    #endif
    }

    static inline uint64_t ttt_spread(uint64_t byte) {
    #ifdef __BMI2__
        uint64_t word = _pdep_u64(byte, UINT64_C(0x0101010101010101));
    #else
        uint64_t low = (byte & 15) * 0x00204081, high = (byte >> 4) * 0x00204081;
        uint64_t word = (low & 0x01010101) | (high & 0x01010101) << 32;
    #endif
    #if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
    #endif
        return word;
    }
    """
    int popcount "__builtin_popcountll"(uint64_t word) noexcept nogil
    int lowest "__builtin_ctzll"(uint64_t word) noexcept nogil
    uint64_t swap_bytes "__builtin_bswap64"(uint64_t word) noexcept nogil
    # The n-th set bit of `word`, counted from 0 at the lowest; `word` has more than n set bits.
    uint64_t nth_bit "ttt_nth_bit"(uint64_t word, int n) noexcept nogil
    # Eight bits as eight bytes of 0 or 1, the lowest bit first in memory.
    uint64_t spread "ttt_spread"(uint64_t byte) noexcept nogil
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
