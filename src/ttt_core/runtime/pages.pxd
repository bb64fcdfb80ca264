"""Zeroed memory for large tables, aligned to a page.

Pages are allocated when they are first written. On Linux they are huge pages where the system has
them: a table of 64 MiB then takes 32 entries of the processor's page cache instead of 16,384.
"""

cimport ttt_core.primitives.platform

cdef extern from *:
    void* zeroed_pages "ttt_pages"(size_t size) noexcept nogil
    void release_pages "ttt_release"(void* pages, size_t size) noexcept nogil
    # Zeroes them again, past the processor's caches: a search right after it finds its code and
    # data where they were.
    void wipe_pages "ttt_wipe"(void* pages, size_t size) noexcept nogil
