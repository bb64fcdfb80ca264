"""Qubic, compiled: see `qubic.pxd` for the rules and the layout."""

from ttt_core.cells64 cimport count, has, nothing, pick, some, take


cdef const char* configure(Rules* rules, options):
    return prepare(rules)


include "../search/perft.pxi"
include "../search/playout.pxi"
include "../search/position.pxi"
