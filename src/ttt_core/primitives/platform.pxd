"""What differs between compilers, processors and operating systems, in one C header.

A module that cimports this one gets the C code below ahead of its own; the names are declared for
Cython where they belong (`primitives/bits.pxd`, `runtime/atomics.pxd` and so on). It needs gcc or
clang, also as clang-cl or mingw on Windows: their builtins, atomics, vectors and 128-bit integers.
Built with -DTTT_GENERIC it uses no instruction set beyond C, so that tests can compare.
"""

cdef extern from *:
    """
    #include <assert.h>
    #include <stddef.h>
    #include <stdint.h>
    #include <stdlib.h>
    #include <string.h>

    #if defined(__BMI2__) && !defined(TTT_GENERIC)
    #define TTT_BMI2
    #endif
    #if defined(__AVX2__) && !defined(TTT_GENERIC)
    #define TTT_AVX2
    #endif
    #if defined(__AVX512F__) && !defined(TTT_GENERIC) && !defined(__SANITIZE_THREAD__)
    #define TTT_AVX512
    #endif
    #if defined(TTT_BMI2) || defined(TTT_AVX2) || defined(TTT_AVX512)
    #include <immintrin.h>
    #elif defined(__SSE2__) && !defined(TTT_GENERIC)
    #include <emmintrin.h>
    #endif

    /* --- compiler ------------------------------------------------------------------------ */

    #define ttt_likely(condition) __builtin_expect(!!(condition), 1)
    #define ttt_prefetch(address) __builtin_prefetch(address)
    #define TTT_INLINE static inline __attribute__((always_inline))

    /* A vector of `size` bytes that may stand for an array of its elements. */
    #define TTT_VECTOR(type, size, alignment) \\
        type __attribute__((vector_size(size), aligned(alignment), may_alias))

    /* --- processor ----------------------------------------------------------------------- */

    /* The level of x86-64 that the processor and the system support; 2 for all others. Our level 4
       (ttt_core/variants.py) includes VNNI, for the networks, and VPOPCNTDQ, for Connect Four.
       Compilers know these names longer than those of the levels; every processor with the four
       of level 3 has the rest of it. */
    static inline int ttt_level(void) {
    #ifdef __x86_64__
        __builtin_cpu_init();
        if (!(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
              && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")))
            return 2;
        if (!(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
              && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq")
              && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni")
              && __builtin_cpu_supports("avx512vpopcntdq")))
            return 3;
        return 4;
    #else
        return 2;
    #endif
    }

    /* --- bits ---------------------------------------------------------------------------- */

    #define ttt_popcount(word) __builtin_popcountll(word)
    #define ttt_lowest(word) __builtin_ctzll(word)
    #define ttt_log2(word) (63 - __builtin_clzll(word))
    #define ttt_swap_bytes(word) __builtin_bswap64(word)

    static inline uint64_t ttt_nth_bit(uint64_t word, int n) {
    #ifdef TTT_BMI2
        return _pdep_u64(UINT64_C(1) << n, word);
    #else
        while (n--)
            word &= word - 1;
        return word & (0 - word);
    #endif
    }

    static inline uint64_t ttt_spread(uint64_t byte) {
    #ifdef TTT_BMI2
        uint64_t word = _pdep_u64(byte, UINT64_C(0x0101010101010101));
    #else
        uint64_t low = (byte & 15) * 0x00204081, high = (byte >> 4) * 0x00204081;
        uint64_t word = (low & 0x01010101) | (high & 0x01010101) << 32;
    #endif
    #if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = ttt_swap_bytes(word);
    #endif
        return word;
    }

    /* Whether one of eight sets lies within `word`. */
    static inline int ttt_contains(uint64_t word, const uint64_t *sets) {
    #ifdef TTT_AVX512
        __m512i rest = _mm512_set1_epi64((long long)~word);
        return _mm512_testn_epi64_mask(_mm512_loadu_si512(sets), rest) != 0;
    #elif defined(TTT_AVX2)
        __m256i rest = _mm256_set1_epi64x((long long)~word), zero = _mm256_setzero_si256();
        __m256i low = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)sets), rest);
        __m256i high = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(sets + 4)), rest);
        low = _mm256_cmpeq_epi64(low, zero);
        high = _mm256_cmpeq_epi64(high, zero);
        return _mm256_movemask_epi8(_mm256_or_si256(low, high)) != 0;
    #else
        int found = 0;
        for (int i = 0; i < 8; i++)
            found |= !(sets[i] & ~word);
        return found;
    #endif
    }

    /* --- 128-bit integers ---------------------------------------------------------------- */

    typedef unsigned __int128 ttt_uint128;

    static inline uint64_t ttt_scaled(uint64_t key, uint64_t n) {
    #ifndef TTT_GENERIC
        return (uint64_t)((ttt_uint128)key * n >> 64);
    #else
        uint64_t low = (key & UINT32_MAX) * (n & UINT32_MAX);
        uint64_t mixed = (key >> 32) * (n & UINT32_MAX) + (low >> 32);
        uint64_t other = (key & UINT32_MAX) * (n >> 32) + (mixed & UINT32_MAX);
        return (key >> 32) * (n >> 32) + (mixed >> 32) + (other >> 32);
    #endif
    }

    /* --- atomics ------------------------------------------------------------------------- */

    #ifdef TTT_NAIVE_TABLE
    #define ttt_atomic_load(address) (*(address))
    #define ttt_atomic_store(address, value) (*(address) = (value))
    #else
    #define ttt_atomic_load(address) __atomic_load_n(address, __ATOMIC_RELAXED)
    #define ttt_atomic_store(address, value) __atomic_store_n(address, value, __ATOMIC_RELAXED)
    #endif
    #define ttt_atomic_next(address) __atomic_fetch_add(address, 1, __ATOMIC_RELAXED)

    /* --- memory -------------------------------------------------------------------------- */

    /* Zeroes memory, whose address and size are multiples of 16 bytes, without putting it into the
       caches: what they hold stays there. */
    static inline void ttt_wipe(void *memory, size_t size) {
    #if defined(__SSE2__) && !defined(TTT_GENERIC)
        char *here = (char *)memory, *end = here + size;
        for (; here < end; here += 16)
            _mm_stream_si128((__m128i *)here, _mm_setzero_si128());
        _mm_sfence();
    #else
        memset(memory, 0, size);
    #endif
    }

    /* --- operating system ---------------------------------------------------------------- */

    #ifdef _WIN32
    #define WIN32_LEAN_AND_MEAN
    #define NOMINMAX
    #include <malloc.h>
    #include <process.h>
    #include <windows.h>
    #define ttt_process_id _getpid

    static inline double ttt_seconds(void) {
        LARGE_INTEGER now, frequency;
        QueryPerformanceCounter(&now);
        QueryPerformanceFrequency(&frequency);
        return (double)now.QuadPart / (double)frequency.QuadPart;
    }

    static inline void *ttt_pages(size_t size) {
        return VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    }

    static inline void ttt_release(void *pages, size_t size) {
        (void)size;
        if (pages)
            VirtualFree(pages, 0, MEM_RELEASE);
    }
    #else
    #include <sys/mman.h>
    #include <time.h>
    #include <unistd.h>
    #define ttt_process_id getpid

    static inline double ttt_seconds(void) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return now.tv_sec + 1e-9 * now.tv_nsec;
    }

    static inline void *ttt_pages(size_t size) {
        void *found = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (found == MAP_FAILED)
            return NULL;
    #ifdef __linux__
        if (size >= 1 << 21)
            madvise(found, size, MADV_HUGEPAGE);
    #endif
        return found;
    }

    static inline void ttt_release(void *pages, size_t size) {
        if (pages)
            munmap(pages, size);
    }
    #endif
    """
    pass
