/* Readings of the system's clocks. */
#ifndef MEMMODEL_BASE_CLOCK_H
#define MEMMODEL_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds; 0 if the system has no such clock (WebAssembly counts no processor time). */
static inline uint64_t mm_clock_ns(clockid_t clock)
{
    struct timespec t;
    return clock_gettime(clock, &t) == 0 ? (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec : 0;
}

static inline uint64_t mm_clock_ms(clockid_t clock)
{
    return mm_clock_ns(clock) / 1000000;
}

static inline double mm_clock_seconds(clockid_t clock)
{
    return (double)mm_clock_ns(clock) * 1e-9;
}

#endif
