"""Threat search at the quiet nodes of the Qubic engine's search: `threat_win_plies` for `pvs.pxi`.

Each call has a small node limit. Positions that failed are remembered for the whole search.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy

from ttt_core.runtime.limits cimport Limits, restart_limits, start_limits
from ttt_core.games.qubic cimport Rules, State
from ttt_core.search.threats.qubic_search cimport (
    FailedPosition, Geometry, Side, Threats, prepare_geometry, set_stones, wins_by_threats,
)

cdef enum:
    MAX_NODES = 200            # threat nodes per call
    FAILED_POSITIONS = 1 << 14

ctypedef struct ThreatSearch:
    Geometry geometry
    Threats threats
    Limits limits
    FailedPosition failed[FAILED_POSITIONS]


cdef inline void prepare_threats(ThreatSearch* search, const Rules* rules,
                                 const int* stop) noexcept nogil:
    prepare_geometry(&search.geometry, rules)
    search.threats.geometry = &search.geometry
    search.threats.failed = search.failed
    search.threats.mask = FAILED_POSITIONS - 1
    search.threats.limits = &search.limits
    start_limits(&search.limits, MAX_NODES, 0, stop, False)


# The plies in which the side to move wins by a threat sequence, whose moves go to `line`; 0 if none
# was found within the node limit. Adds its nodes to `nodes`.
cdef inline int threat_win_plies(ThreatSearch* search, const State* state, uint8_t* line,
                                 uint64_t* nodes) noexcept nogil:
    cdef Side mine, theirs
    cdef bint wins
    set_stones(&search.geometry, &mine, state.mine)
    set_stones(&search.geometry, &theirs, state.theirs)
    restart_limits(&search.limits, MAX_NODES)
    wins = wins_by_threats(&search.threats, &mine, &theirs)
    nodes[0] += search.limits.nodes
    if not wins:
        return 0
    memcpy(line, search.threats.sequence, search.threats.length)
    return search.threats.length
