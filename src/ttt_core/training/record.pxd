"""The record of a move in a self-play game: the training data of the learned evaluations.

A game is a run of records, one for each move, and a last one of kind END. That one has no move; its
score is the result for x: 1 won, 0 drawn, -1 lost.
"""

from libc.stdint cimport int16_t, uint8_t

cdef enum:
    OPENING        # a random move, played without a search: no score
    SEARCHED       # the move that the search chose
    RANDOM         # a random move in place of the one that the search chose
    END

ctypedef struct MoveRecord:
    uint8_t move               # its number
    uint8_t kind
    int16_t score              # of the search, for the side to move
