"""Loss and gradients of nine-board's learned evaluation: see `gradients.pxi`."""

from ttt_core.primitives.cells81 cimport has
from ttt_core.games.nineboard cimport (
    MOVES, PLIES, Rules, State, moves, numbered, play, prepare, start, won,
)
from ttt_core.evaluations.nineboard_network cimport MAX_FEATURES, ROWS, list_features, map_rows


cdef const char* configure(Rules* rules, options):
    full_draws, = options
    return prepare(rules, full_draws)


include "gradients.pxi"
