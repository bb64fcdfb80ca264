"""Relaxed atomic loads and stores, for words that one thread writes and others read without a lock.

They order no other memory access; a reader sees some value that was written. On x86-64 and ARM64
they compile to plain moves. Built with -DTTT_NAIVE_TABLE they are plain C accesses, so that
tests/hardening can show that ThreadSanitizer reports the race.
"""

from libc.stdint cimport int64_t, uint64_t

cimport ttt_core.primitives.platform

cdef extern from *:
    int load_flag "ttt_atomic_load"(const int* flag) noexcept nogil
    void store_flag "ttt_atomic_store"(int* flag, int value) noexcept nogil
    uint64_t load_word "ttt_atomic_load"(const uint64_t* address) noexcept nogil
    void store_word "ttt_atomic_store"(uint64_t* address, uint64_t value) noexcept nogil
    # Adds 1 and returns the value before.
    int64_t fetch_next "ttt_atomic_next"(int64_t* address) noexcept nogil
