"""Moves that threads are searching at the moment, for the other threads to search last.

Threads that share a transposition table gain most if they work on different subtrees (simplified
ABDADA, Kerrigan 2014). Each puts the move that it searches into a small table as a key, and takes
it out afterwards. A key may overwrite another: then a move is searched by two threads at once.
"""

from libc.stdint cimport uint64_t

from ttt_core.runtime.atomics cimport load_word, store_word

cdef enum:
    BUSY_SLOTS = 4096          # 12 bits of a key


# The key of a move in a node, never 0.
cdef inline uint64_t busy_key(uint64_t node, int move, int depth) noexcept nogil:
    return (node ^ <uint64_t> (256 * depth + move) * <uint64_t> 0x9E3779B97F4A7C15) | 1


cdef inline bint is_busy(const uint64_t* busy, uint64_t key) noexcept nogil:
    return load_word(&busy[key >> 52]) == key


cdef inline void begin_busy(uint64_t* busy, uint64_t key) noexcept nogil:
    store_word(&busy[key >> 52], key)


cdef inline void end_busy(uint64_t* busy, uint64_t key) noexcept nogil:
    if is_busy(busy, key):
        store_word(&busy[key >> 52], 0)
