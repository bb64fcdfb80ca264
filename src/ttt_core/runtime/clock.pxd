"""A monotonic clock, in seconds."""

cdef extern from *:
    """
    #ifdef _WIN32
    #define WIN32_LEAN_AND_MEAN
    #define NOMINMAX
    #include <windows.h>
    static inline double ttt_seconds(void) {
        LARGE_INTEGER now, frequency;
        QueryPerformanceCounter(&now);
        QueryPerformanceFrequency(&frequency);
        return (double)now.QuadPart / (double)frequency.QuadPart;
    }
    #else
    #include <time.h>
    static inline double ttt_seconds(void) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return now.tv_sec + 1e-9 * now.tv_nsec;
    }
    #endif
    """
    double seconds "ttt_seconds"() noexcept nogil
