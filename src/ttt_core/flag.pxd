"""A flag that one thread sets and others watch."""

cdef extern from *:
    """
    #define ttt_load_flag(flag) __atomic_load_n(flag, __ATOMIC_RELAXED)
    #define ttt_store_flag(flag, value) __atomic_store_n(flag, value, __ATOMIC_RELAXED)
    """
    int load_flag "ttt_load_flag"(const int* flag) noexcept nogil
    void store_flag "ttt_store_flag"(int* flag, int value) noexcept nogil
