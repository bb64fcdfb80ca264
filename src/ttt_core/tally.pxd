"""Counters that one thread publishes now and then and others read."""

from libc.stdint cimport uint64_t

cdef extern from *:
    """
    #define ttt_read_tally(place) __atomic_load_n(place, __ATOMIC_RELAXED)
    #define ttt_write_tally(place, value) __atomic_store_n(place, value, __ATOMIC_RELAXED)
    """
    uint64_t read_tally "ttt_read_tally"(const uint64_t* place) noexcept nogil
    void write_tally "ttt_write_tally"(uint64_t* place, uint64_t value) noexcept nogil

ctypedef struct Tally:
    uint64_t nodes
    uint64_t terminal
    uint64_t horizon
    uint64_t hits


cdef inline void publish(Tally* tally, uint64_t nodes, uint64_t terminal, uint64_t horizon,
                         uint64_t hits) noexcept nogil:
    write_tally(&tally.nodes, nodes)
    write_tally(&tally.terminal, terminal)
    write_tally(&tally.horizon, horizon)
    write_tally(&tally.hits, hits)
