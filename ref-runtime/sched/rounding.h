/* The floating-point environment of a thread of the application that executes commands: that of threads at
 * their start. */
#ifndef REF_RUNTIME_SCHED_ROUNDING_H
#define REF_RUNTIME_SCHED_ROUNDING_H

#include <fenv.h>
#include <stdbool.h>

struct rt_rounding {
    bool plain; /* the thread has that environment already, and nothing is saved */
    fenv_t saved;
};

static inline bool rt_rounding_is_plain(void)
{
#if defined(__x86_64__)
    const unsigned modes = 0xffc0, usual = 0x1f80; /* of MXCSR: everything but the sticky flags */
    unsigned short x87;
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    return (__builtin_ia32_stmxcsr() & modes) == usual && (x87 & 0xf3f) == 0x33f;
#else
    return false;
#endif
}

static inline void rt_rounding_enter(struct rt_rounding *r)
{
    r->plain = rt_rounding_is_plain();
    if (!r->plain) {
        fegetenv(&r->saved);
        fesetenv(FE_DFL_ENV);
    }
}

static inline void rt_rounding_leave(const struct rt_rounding *r)
{
    if (!r->plain)
        fesetenv(&r->saved);
}

#endif
