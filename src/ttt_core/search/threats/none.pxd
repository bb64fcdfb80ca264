"""The threat search of games that have none: finds nothing. See `search/pvs.pxi`."""

from libc.stdint cimport uint8_t, uint64_t

ctypedef struct ThreatSearch:
    int unused


cdef inline void prepare_threats(ThreatSearch* search, const void* rules,
                                 const int* stop) noexcept nogil:
    pass


cdef inline int threat_win_plies(ThreatSearch* search, const void* state, uint8_t* line,
                                 uint64_t* nodes) noexcept nogil:
    return 0
