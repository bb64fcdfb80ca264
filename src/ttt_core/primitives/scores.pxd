"""Scores: for the side to move, an evaluation in fixed units or a win or loss in n plies.

    WIN - n       a win with the n-th ply from here: higher than any evaluation, quicker is higher
    -EVALUATED to EVALUATED   an evaluation; 0 is also a draw
    n - WIN       a loss in n plies
"""

cdef enum:
    WIN = 32000
    DECIDED = 31000     # from here on a score is a win
    EVALUATED = 30000


cdef inline int clipped(int evaluation) noexcept nogil:
    return max(-EVALUATED, min(EVALUATED, evaluation))
