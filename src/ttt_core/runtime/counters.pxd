"""Counters of a search."""

from libc.stdint cimport uint64_t

from ttt_core.runtime.atomics cimport store_word

ctypedef struct Counters:
    uint64_t nodes           # positions generated, the root not counted
    uint64_t terminal        # nodes where the game is over or decided
    uint64_t horizon         # nodes evaluated at the depth limit
    uint64_t table_hits      # entries found in the transposition table


cdef inline void count_children(Counters* counters, uint64_t nodes,
                                uint64_t terminal) noexcept nogil:
    counters.nodes += nodes
    counters.terminal += terminal
    counters.horizon += nodes - terminal


# Copies counters to where other threads may read them.
cdef inline void publish(Counters* published, uint64_t nodes, uint64_t terminal, uint64_t horizon,
                         uint64_t table_hits) noexcept nogil:
    store_word(&published.nodes, nodes)
    store_word(&published.terminal, terminal)
    store_word(&published.horizon, horizon)
    store_word(&published.table_hits, table_hits)
