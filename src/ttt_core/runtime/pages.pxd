"""Zeroed memory for large tables, aligned to a page.

Pages are allocated when they are first written. On Linux they are huge pages where the system has
them: a table of 64 MiB then takes 32 entries of the processor's page cache instead of 16,384.
"""

cdef extern from *:
    """
    #include <stddef.h>
    #include <stdlib.h>
    #ifdef _WIN32
    #include <malloc.h>
    #include <string.h>
    static void *ttt_pages(size_t size) {
        void *found = _aligned_malloc(size, 4096);
        return found ? memset(found, 0, size) : NULL;
    }
    static void ttt_release(void *pages, size_t size) {
        (void)size;
        _aligned_free(pages);
    }
    #else
    #include <sys/mman.h>
    enum { TTT_HUGE_PAGE = 1 << 21 };
    static void *ttt_pages(size_t size) {
        void *found = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (found == MAP_FAILED)
            return NULL;
    #ifdef __linux__
        if (size >= TTT_HUGE_PAGE)
            madvise(found, size, MADV_HUGEPAGE);
    #endif
        return found;
    }
    static void ttt_release(void *pages, size_t size) {
        if (pages)
            munmap(pages, size);
    }
    #endif
    """
    void* zeroed_pages "ttt_pages"(size_t size) noexcept nogil
    void release_pages "ttt_release"(void* pages, size_t size) noexcept nogil
