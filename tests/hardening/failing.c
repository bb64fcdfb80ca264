/* Memory that runs out on demand: preloaded, it counts the allocations that the arming thread makes
   while it is armed, lets every k-th of them fail, MOST of them at most (who disarms it needs memory
   too), and knows how many bytes are in use. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

enum { MOST = 20 };

static __thread long every, count, failed;
static long in_use;

void ttt_arm(long k) { count = failed = 0; every = k; }

long ttt_disarm(void) { every = 0; return failed; }

long ttt_in_use(void) { return __atomic_load_n(&in_use, __ATOMIC_RELAXED); }

static int fails(void) {
    if (!every || ++count % every)
        return 0;
    if (++failed == MOST)
        every = 0;
    errno = ENOMEM;
    return 1;
}

static void *taken(void *block) {
    if (block)
        __atomic_add_fetch(&in_use, (long)malloc_usable_size(block), __ATOMIC_RELAXED);
    return block;
}

static void given(void *block) {
    if (block)
        __atomic_sub_fetch(&in_use, (long)malloc_usable_size(block), __ATOMIC_RELAXED);
}

void *malloc(size_t size) { return fails() ? NULL : taken(__libc_malloc(size)); }

void *calloc(size_t n, size_t size) { return fails() ? NULL : taken(__libc_calloc(n, size)); }

void *realloc(void *block, size_t size) {
    void *fresh;
    long before = block ? (long)malloc_usable_size(block) : 0;
    if (fails())
        return NULL;
    fresh = __libc_realloc(block, size);
    if (fresh || !size)
        __atomic_sub_fetch(&in_use, before, __ATOMIC_RELAXED);
    return taken(fresh);
}

void *memalign(size_t border, size_t size) {
    return fails() ? NULL : taken(__libc_memalign(border, size));
}

void *aligned_alloc(size_t border, size_t size) { return memalign(border, size); }

int posix_memalign(void **place, size_t border, size_t size) {
    void *block = memalign(border, size);
    if (!block)
        return ENOMEM;
    *place = block;
    return 0;
}

void free(void *block) {
    given(block);
    __libc_free(block);
}
