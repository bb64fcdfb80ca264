"""Relaxed atomic loads and stores: what one thread writes and others read without a lock.

They order nothing else; a reader sees some value that was written. On the machines we know they
compile to plain moves.
"""

from libc.stdint cimport int64_t, uint64_t

cdef extern from *:
    """
    #define ttt_atomic_load(place) __atomic_load_n(place, __ATOMIC_RELAXED)
    #define ttt_atomic_store(place, value) __atomic_store_n(place, value, __ATOMIC_RELAXED)
    #define ttt_atomic_next(place) __atomic_fetch_add(place, 1, __ATOMIC_RELAXED)
    """
    int load_flag "ttt_atomic_load"(const int* flag) noexcept nogil
    void store_flag "ttt_atomic_store"(int* flag, int value) noexcept nogil
    uint64_t load_word "ttt_atomic_load"(const uint64_t* place) noexcept nogil
    void store_word "ttt_atomic_store"(uint64_t* place, uint64_t value) noexcept nogil
    # Adds 1 and returns the value before.
    int64_t fetch_next "ttt_atomic_next"(int64_t* place) noexcept nogil
