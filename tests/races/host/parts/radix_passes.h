/* A radix sort in passes in an out-of-order queue. */
#ifndef TESTS_RACES_HOST_PARTS_RADIX_PASSES_H
#define TESTS_RACES_HOST_PARTS_RADIX_PASSES_H

#include "../host.h"
#include <stdbool.h>

static const char *const radix =
    "kernel void counts(global const uint *a, global uint *n, int shift) {\n"
    "  uint i = get_global_id(0), c[4] = {0, 0, 0, 0};\n"
    "  for (uint k = 0; k < 8; k++) c[a[i * 8 + k] >> shift & 3]++;\n"
    "  for (uint d = 0; d < 4; d++) n[d * 8 + i] = c[d]; }\n"
    "kernel void scan(global uint *n, global uint *unused, int shift) {\n"
    "  uint sum = 0; for (uint k = 0; k < 32; k++) { uint c = n[k]; n[k] = sum; sum += c; } }\n"
    "kernel void scatter(global const uint *a, global uint *n, int shift, global uint *to) {\n"
    "  uint i = get_global_id(0);\n"
    "  for (uint k = 0; k < 8; k++) { uint v = a[i * 8 + k]; to[n[(v >> shift & 3) * 8 + i]++ & 63] = v; } "
    "}\n";

static int sort(bool scatter_after_scan)
{
    begin_with(radix, NULL);
    cl_command_queue q = out_of_order();
    cl_mem keys[2] = {buffer(), buffer()}, n = buffer();
    cl_event last = NULL;
    for (int pass = 0; pass < 3; pass++) {
        cl_kernel count = kernel("counts", keys[pass & 1], n, NULL), scan = kernel("scan", n, n, NULL),
                  scatter = kernel("scatter", keys[pass & 1], n, NULL);
        int shift = pass * 2;
        OK(clSetKernelArg(count, 2, sizeof shift, &shift));
        OK(clSetKernelArg(scan, 2, sizeof shift, &shift));
        OK(clSetKernelArg(scatter, 2, sizeof shift, &shift));
        OK(clSetKernelArg(scatter, 3, sizeof *keys, &keys[~pass & 1]));
        cl_event counted = launch(q, count, 8, last), scanned = launch(q, scan, 1, counted);
        last = launch(q, scatter, 8, scatter_after_scan ? scanned : counted);
    }
    OK(clFinish(q));
    return 0;
}

#endif
