"""Ctrl-C during long compiled work."""

cdef extern from "Python.h":
    int check_signals "PyErr_CheckSignals"() noexcept


# Runs pending signal handlers. True: one raised; unwind to where the GIL is held, then `propagate`.
cdef inline bint interrupted() noexcept nogil:
    with gil:
        return check_signals() != 0


# Raises the exception that `interrupted` left behind.
cdef inline int propagate() except? -1:
    return -1
