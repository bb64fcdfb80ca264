"""Chains of threes inside the search of Qubic: `threat_win_plies` for pvs.pxi.

A chain is looked for at every quiet node, for a few threat nodes only; what failed is remembered by
its stones, for as long as the search lasts.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy

from ttt_core.games.qubic cimport Rules, State
from ttt_core.search.threats.qubic_search cimport (
    Failure, Geometry, Side, Threats, prepare_geometry, put_all, wins_by_threats,
)
from ttt_core.runtime.limits cimport Limits

cdef enum:
    CHAIN_NODES = 200          # the most threat nodes of one look
    FAILURES = 1 << 14

ctypedef struct ThreatSearch:
    Geometry geometry
    Threats threats
    Limits limits
    Failure failures[FAILURES]


cdef inline void prepare_threats(ThreatSearch* search, const Rules* rules,
                                 const int* stop) noexcept nogil:
    prepare_geometry(&search.geometry, rules)
    search.threats.geometry = &search.geometry
    search.threats.failures = search.failures
    search.threats.mask = FAILURES - 1
    search.threats.limits = &search.limits
    search.limits.stop_flag = stop


# The plies in which the side to move wins by threes alone, 0 if no such chain was seen; its moves
# go to `line`. Counts its nodes.
cdef inline int threat_win_plies(ThreatSearch* search, const State* state, uint8_t* line,
                                 uint64_t* nodes) noexcept nogil:
    cdef Side mine, theirs
    cdef bint wins
    put_all(&search.geometry, &mine, state.mine)
    put_all(&search.geometry, &theirs, state.theirs)
    search.limits.stopped = False
    search.limits.nodes = 0
    search.limits.max_nodes = search.limits.next_poll = CHAIN_NODES
    wins = wins_by_threats(&search.threats, &mine, &theirs)
    nodes[0] += search.limits.nodes
    if not wins:
        return 0
    memcpy(line, search.threats.chain, search.threats.length)
    return search.threats.length
