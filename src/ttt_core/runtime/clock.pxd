"""A monotonic clock, in seconds."""

cimport ttt_core.primitives.platform

cdef extern from *:
    double seconds "ttt_seconds"() noexcept nogil
