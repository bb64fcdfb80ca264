"""A small, fast, reproducible random number generator (splitmix64: Steele, Lea and Flood 2014)."""

from libc.stdint cimport uint64_t

from ttt_core.primitives.bits cimport mix

ctypedef struct Random:
    uint64_t state


cdef inline void seed(Random* random, uint64_t value) noexcept nogil:
    random.state = mix(value)


cdef inline uint64_t draw(Random* random) noexcept nogil:
    random.state += <uint64_t> 0x9E3779B97F4A7C15
    return mix(random.state)


# A random number from 0 to n - 1; the bias is below n / 2^32.
cdef inline int below(Random* random, int n) noexcept nogil:
    return <int> (((draw(random) >> 32) * <uint64_t> n) >> 32)
