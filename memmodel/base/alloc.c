/* All of refcl's allocation: thin wrappers that a test can make fail. */

#include "memmodel/base/memory.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* up to this size the C library serves malloc, but not calloc, from a cache of the thread */
enum { SMALL = 1024 };

/* Allocations left until one fails; 0: none will. */
static atomic_size_t countdown;

void mm_alloc_fail_after(size_t count)
{
    atomic_store(&countdown, count);
}

static bool must_fail(void)
{
    size_t left = atomic_load_explicit(&countdown, memory_order_relaxed);

    while (left != 0)
        if (atomic_compare_exchange_weak(&countdown, &left, left - 1))
            return left == 1;
    return false;
}

void *mm_alloc(size_t size)
{
    return must_fail() ? NULL : malloc(size ? size : 1);
}

void *mm_alloc_zero(size_t n, size_t size)
{
    if (must_fail())
        return NULL;
    if (n == 0 || size == 0)
        return calloc(1, 1);
    if (n > SIZE_MAX / size)
        return NULL;
    if (n * size > SMALL)
        return calloc(n, size);
    void *p = malloc(n * size);
    __asm__("" : "+r"(p)); /* keeps the compiler from merging malloc and memset into calloc */
    return p ? memset(p, 0, n * size) : NULL;
}

void *mm_realloc(void *p, size_t size)
{
    return must_fail() ? NULL : realloc(p, size ? size : 1);
}

void mm_free(void *p)
{
    free(p);
}

char *mm_strdup(const char *s)
{
    size_t size = strlen(s) + 1;
    char *copy = mm_alloc(size);

    if (copy)
        memcpy(copy, s, size);
    return copy;
}
