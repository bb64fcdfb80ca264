"""A turn of a game that an engine has played with itself, as evaluations learn from it.

A game is a run of turns. The last has no move; its score is the result for x: 1, 0, -1.
"""

from libc.stdint cimport int16_t, uint8_t

cdef enum:
    DRAWN_BY_LOT, CHOSEN, STRAY, ENDED     # STRAY: drawn by lot although a search chose another

ctypedef struct Turn:
    uint8_t move               # its number
    uint8_t kind
    int16_t score              # of the search, for the side to move
