"""The Connect Four solver, compiled for boards too wide or too tall for `connect4.pyx`."""

from ttt_core.solvers.connect4.shape cimport Shape

cdef enum:
    LANES = 32
    WIDEST = 32
    TALLEST = 63


cdef inline int stride(const Shape* shape) noexcept nogil:
    return shape.stride


include "../../runtime/threads.pxi"
include "search.pxi"
include "driver.pxi"
include "binding.pxi"
