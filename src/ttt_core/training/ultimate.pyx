"""What the evaluation of ultimate learns from games: see `lessons.pxi`."""

from ttt_core.primitives.cells81 cimport has
from ttt_core.evaluations.ultimate_network cimport MOST_FEATURES, ROWS, list_features, row_image
from ttt_core.evaluations.ultimate_weights cimport UNITS
from ttt_core.games.ultimate cimport (
    MOVES, PLIES, Rules, State, moves, numbered, play, prepare, start, won,
)

cdef extern from *:
    """
    #define TTT_UNITS TTT_ULTIMATE_UNITS
    """


cdef const char* configure(Rules* rules, options):
    count_boards, won_open = options
    return prepare(rules, count_boards, won_open)


include "gradients.pxi"
