"""What the evaluation of nine-board learns from games: see `lessons.pxi`."""

from ttt_core.primitives.cells81 cimport has
from ttt_core.evaluations.nineboard_network cimport MOST_FEATURES, ROWS, list_features, row_image
from ttt_core.evaluations.nineboard_weights cimport UNITS
from ttt_core.games.nineboard cimport (
    MOVES, PLIES, Rules, State, moves, numbered, play, prepare, start, won,
)

cdef extern from *:
    """
    #define TTT_UNITS TTT_NINEBOARD_UNITS
    """


cdef const char* configure(Rules* rules, options):
    full_draws, = options
    return prepare(rules, full_draws)


include "gradients.pxi"
