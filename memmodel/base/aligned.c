/* Memory that kernels use: aligned as their types need it.
 *
 * With REFCL_GUARD=1 it lies between inaccessible guard pages: an access past its end, or far before its
 * beginning, faults instead of reaching other data. */
#include "memmodel/base/memory.h"
#include "memmodel/base/privilege.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool mm_guard_on(void)
{
    static atomic_int known; /* 1: no, 2: yes */
    if (atomic_load(&known) == 0) {
        const char *given = mm_getenv("REFCL_GUARD");
        atomic_store(&known, given && strcmp(given, "1") == 0 ? 2 : 1);
    }
    return atomic_load(&known) == 2;
}

/* Bytes on both sides: address space, no memory. */
static const size_t guard = (size_t)1 << 30;

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* A page that holds the size of the whole, a guard, the data up to the last byte of its pages, a guard. */
void *mm_guarded_alloc(size_t size, size_t align)
{
    size_t page = page_size();
    if (size > SIZE_MAX / 4 || align > page)
        return NULL;
    size += size == 0;
    size_t pages = (size + page - 1) / page * page, total = page + guard + pages + guard;
    unsigned char *base = mmap(NULL, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return NULL;
    unsigned char *data = base + page + guard;
    if (mprotect(base, page, PROT_READ | PROT_WRITE) != 0 ||
        mprotect(data, pages, PROT_READ | PROT_WRITE) != 0) {
        munmap(base, total);
        return NULL;
    }
    *(size_t *)(void *)base = total;
    return data + (pages - size) / align * align;
}

void mm_guarded_free(void *p)
{
    size_t page = page_size();
    unsigned char *base = (unsigned char *)((uintptr_t)p / page * page) - guard - page;
    if (p)
        munmap(base, *(const size_t *)(void *)base);
}

/* ---- with guards or without ---------------------------------------------------------------- */

/* Asks for huge pages, which take fewer entries of the TLB and fewer page faults.  Has no effect on systems
 * without huge pages; errno is kept. */
static void advise_huge_pages(unsigned char *memory, size_t size)
{
    const uintptr_t huge = (uintptr_t)1 << 21;
    uintptr_t begin = ((uintptr_t)memory + huge - 1) & ~(huge - 1),
              end = ((uintptr_t)memory + size) & ~(huge - 1);
    int before = errno;
    if (size >= huge && begin < end && madvise((void *)begin, end - begin, MADV_HUGEPAGE) != 0)
        errno = before;
}

void *mm_aligned_alloc(size_t size, size_t align)
{
    size_t extra = align + sizeof(void *);
    if (mm_guard_on())
        return mm_guarded_alloc(size, align);
    if (size > SIZE_MAX - extra)
        return NULL;
    unsigned char *raw = mm_alloc_zero(1, size + extra);
    if (!raw)
        return NULL;
    advise_huge_pages(raw, size + extra);
    uintptr_t at = ((uintptr_t)raw + sizeof(void *) + align - 1) & ~(uintptr_t)(align - 1);
    memcpy((unsigned char *)at - sizeof(void *), &raw, sizeof raw);
    return (unsigned char *)at;
}

void mm_aligned_free(void *p)
{
    void *raw;
    if (mm_guard_on()) {
        mm_guarded_free(p);
    } else if (p) {
        memcpy(&raw, (unsigned char *)p - sizeof(void *), sizeof raw);
        mm_free(raw);
    }
}
