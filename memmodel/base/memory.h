/* Heap memory: allocation with fault injection, and aligned or guarded memory for kernels. */
#ifndef MEMMODEL_BASE_MEMORY_H
#define MEMMODEL_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Allocation for all folders.  The functions return NULL on failure, or when fault injection makes them
 * fail. */
void *mm_alloc(size_t size);                /* uninitialized */
void *mm_alloc_zero(size_t n, size_t size); /* n * size, checked for overflow */
void *mm_realloc(void *p, size_t size);     /* the old block survives a failure */
void mm_free(void *p);
char *mm_strdup(const char *s);
/* Fault injection: makes the COUNTDOWN-th allocation from now on fail (0: none). */
void mm_alloc_fail_after(size_t countdown);

/* Memory that kernels use, zeroed.  ALIGN: a power of two, at most the page size.  With REFCL_GUARD=1 it
 * comes from mm_guarded_alloc. */
void *mm_aligned_alloc(size_t size, size_t align);
void mm_aligned_free(void *p);
/* True if REFCL_GUARD=1. */
bool mm_guard_on(void);
/* Memory between inaccessible guard pages: its end, rounded up to ALIGN, borders on one. */
void *mm_guarded_alloc(size_t size, size_t align);
void mm_guarded_free(void *p);

#endif
