/* Inside jit: a launch of a compiled kernel. */
#ifndef INTERP_JIT_RUN_H
#define INTERP_JIT_RUN_H

#include "compile.h"
#include <stdatomic.h>

struct in_jit_run {
    const struct in_jit_kernel *kernel;
    struct in_module *module;
    _Alignas(16) struct in_jit_frame frame;
    uint8_t *arguments;
    uint64_t group_count[3], groups, local_bytes;
    uint32_t local_size[3];
    atomic_uint_fast64_t next; /* work-group, in linear order */
    atomic_bool out_of_memory;
    struct in_turns_thread *turns; /* turns.c */
};

#endif
