"""What a search that leaves nothing out has seen."""

from libc.stdint cimport uint64_t

ctypedef struct Survey:
    uint64_t nodes           # positions generated, the root not counted
    uint64_t terminal        # of them, games that are over
    uint64_t horizon         # and positions at the depth limit, evaluated


cdef inline void count_children(Survey* seen, uint64_t nodes, uint64_t terminal) noexcept nogil:
    seen.nodes += nodes
    seen.terminal += terminal
    seen.horizon += nodes - terminal
