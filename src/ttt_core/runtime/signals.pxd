"""Signal handling during long compiled calls: Ctrl-C."""

cdef extern from "Python.h":
    int check_signals "PyErr_CheckSignals"() noexcept


# Runs pending signal handlers. True: one raised an exception, which is left set. Unwind to code
# that holds the GIL, then call `propagate` or `pending_error`.
cdef inline bint interrupted() noexcept nogil:
    with gil:
        return check_signals() != 0


# Raises the exception that `interrupted` left set.
cdef inline int propagate() except? -1:
    return -1


# Returns and clears the exception that `interrupted` left set.
cdef inline object pending_error():
    try:
        propagate()
    except BaseException as error:
        return error
    return None
