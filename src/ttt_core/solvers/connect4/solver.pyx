"""The Connect Four solver, compiled for boards of at most 8 columns and 7 rows.

`connect4_shape.pxd` draws the layout; `connect4_search.pxi` is the search.
"""

from ttt_core.solvers.connect4.shape cimport Shape

cdef enum:
    LANES = 8
    WIDEST = 8
    TALLEST = 7


cdef inline int stride(const Shape* shape) noexcept nogil:
    return 8


include "../../runtime/threads.pxi"
include "search.pxi"
include "driver.pxi"
include "binding.pxi"
