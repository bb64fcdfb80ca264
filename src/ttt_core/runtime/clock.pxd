"""Seconds on a clock that only goes forward."""

cdef extern from "<time.h>" nogil:
    ctypedef int clockid_t
    struct timespec:
        long tv_sec
        long tv_nsec
    int CLOCK_MONOTONIC
    int clock_gettime(clockid_t clock, timespec* now)


cdef inline double seconds() noexcept nogil:
    cdef timespec now
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec + 1e-9 * now.tv_nsec
