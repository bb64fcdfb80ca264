"""m,n,k and tic-tac-toe, compiled: see `mnk.pxd` for the rules and the layout."""

from ttt_core.cells64 cimport count, has, nothing, pick, some, take


cdef const char* configure(Rules* rules, options):
    m, n, k = options
    return prepare(rules, m, n, k)


include "../search/perft.pxi"
include "../search/playout.pxi"
include "../search/position.pxi"
