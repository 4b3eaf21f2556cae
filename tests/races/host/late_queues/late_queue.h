/* Kernels with loops: instrumented, not recorded, while the context has one queue; then a second queue is
 * created before the host has waited for the first one's launches. */
#ifndef TESTS_RACES_HOST_LATE_QUEUES_LATE_QUEUE_H
#define TESTS_RACES_HOST_LATE_QUEUES_LATE_QUEUE_H

#include "../host.h"

static const char *const loops =
    "kernel void add(global int *a) { for (int i = 0; i < 9; i++) a[get_global_id(0)] += i; }\n"
    "kernel void copy(global const int *a, global int *b) {\n"
    "  int sum = 0; for (int i = 0; i < 9; i++) sum += a[(get_global_id(0) + i) % 64];\n"
    "  b[get_global_id(0)] = sum; }\n"
    "kernel void half_of(global int *a) {\n"
    "  for (int i = 0; i < 9; i++) if (get_global_id(0) < 32) a[get_global_id(0)] += i; }\n";

/* A second queue, created when FIRST has executed its commands. */
static inline cl_command_queue later_than(cl_command_queue first)
{
    look_until_done(first);
    return in_order();
}

#endif
