"""Loss and gradients of ultimate's learned evaluation: see `gradients.pxi`."""

from ttt_core.primitives.cells81 cimport has
from ttt_core.games.ultimate cimport (
    MOVES, PLIES, Rules, State, moves, numbered, play, prepare, start, won,
)
from ttt_core.evaluations.ultimate_network cimport MAX_FEATURES, ROWS, list_features, map_rows


cdef const char* configure(Rules* rules, options):
    count_boards, won_open = options
    return prepare(rules, count_boards, won_open)


include "gradients.pxi"
