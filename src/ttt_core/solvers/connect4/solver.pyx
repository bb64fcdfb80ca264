"""The Connect Four solver for boards of at most 8 columns and 7 rows; `layout.pxd` draws them."""

cdef enum:
    MAX_COLUMNS = 8
    MAX_ROWS = 7
    FIXED_STRIDE = 8

include "all.pxi"
