"""The Connect Four solver for boards that `solver.pyx` does not take, up to 64 bits."""

cdef enum:
    MAX_COLUMNS = 32
    MAX_ROWS = 63
    FIXED_STRIDE = 0           # each board has its own

include "all.pxi"
