"""Words of bits: the few operations every game is built from."""

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
    """
    int popcount "__builtin_popcountll"(uint64_t word) noexcept nogil
    int lowest "__builtin_ctzll"(uint64_t word) noexcept nogil
    uint64_t swap_bytes "__builtin_bswap64"(uint64_t word) noexcept nogil
    # The n-th set bit of `word`, counted from 0 at the lowest; `word` has more than n.
    uint64_t nth_bit "ttt_nth_bit"(uint64_t word, int n) noexcept nogil
    # The condition; its code is laid out as if it were true.
    bint likely "ttt_likely"(bint condition) noexcept nogil
    # C's assert: compiled in by TTT_DEBUG=1 only.
    void expect "assert"(bint condition) noexcept nogil


# A bijection of 64-bit words whose every output bit depends on every input bit
# (the finaliser of MurmurHash3, Stafford's constants number 13).
cdef inline uint64_t mix(uint64_t word) noexcept nogil:
    word = (word ^ (word >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    word = (word ^ (word >> 27)) * <uint64_t> 0x94D049BB133111EB
    return word ^ (word >> 31)
