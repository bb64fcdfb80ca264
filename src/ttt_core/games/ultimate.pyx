"""Ultimate tic-tac-toe, compiled: see `ultimate.pxd` for the rules and the layout."""

from ttt_core.cells81 cimport count, has, pick, some, take


cdef const char* configure(Rules* rules, options):
    count_boards, won_open = options
    return prepare(rules, count_boards, won_open)


include "../search/perft.pxi"
include "../search/playout.pxi"
include "../search/position.pxi"
