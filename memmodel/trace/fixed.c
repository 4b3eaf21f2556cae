/* See fixed.h. */
#include "memmodel/trace/fixed.h"

#include <stdatomic.h>
#include <sys/mman.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* Below the programs, libraries, heaps and stacks of all processors with addresses of 47 bits or more.
 * ThreadSanitizer has its shadow memory there. */
#ifdef __SANITIZE_THREAD__
static const uint64_t range_begin = UINT64_C(0x1000000000), range_end = UINT64_C(0x8000000000);
#else
static const uint64_t range_begin = UINT64_C(0x200000000000), range_end = UINT64_C(0x300000000000);
#endif
enum { ALIGN = 1 << 21 }; /* a huge page, and a multiple of all page sizes */

bool mm_fixed_contains(uint64_t address, uint64_t size)
{
    return address >= range_begin && address < range_end && address % ALIGN == 0 && size > 0 &&
           size <= range_end - address;
}

uint64_t mm_fixed_next(uint64_t size)
{
    static atomic_uint_fast64_t used;
    if (size == 0 || size > range_end - range_begin)
        return 0;
    uint64_t room = (size + ALIGN - 1) / ALIGN * ALIGN;
    uint64_t address = range_begin + atomic_fetch_add(&used, room);
    return mm_fixed_contains(address, size) ? address : 0;
}

void *mm_fixed_map(uint64_t address, uint64_t size)
{
    void *wanted = (void *)(uintptr_t)address;
    if (!mm_fixed_contains(address, size))
        return NULL;
    void *data = mmap(wanted, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (data != wanted && data != MAP_FAILED)
        munmap(data, size); /* by a system that takes the address as a hint */
    if (data != wanted)
        return NULL;
    madvise(data, size, MADV_HUGEPAGE);
    return data;
}

void mm_fixed_unmap(void *data, uint64_t size)
{
    munmap(data, size);
}
