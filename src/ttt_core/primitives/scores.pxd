"""Scores for the side to move: an evaluation in the game's own units, or a win or loss in n plies.

    WIN - n                   a win with the n-th ply from here: above every evaluation
    -EVALUATED to EVALUATED   an evaluation; 0 is also a draw
    n - WIN                   a loss in n plies
"""

cdef enum:
    WIN = 32000
    DECIDED = 31000     # scores from here up are wins
    EVALUATED = 30000


cdef inline int clipped(int evaluation) noexcept nogil:
    return max(-EVALUATED, min(EVALUATED, evaluation))
