/* A quicksort by kernels that enqueue themselves. */
#ifndef TESTS_RACES_HOST_CHILDREN_QUICKSORT_H
#define TESTS_RACES_HOST_CHILDREN_QUICKSORT_H

#include "../host.h"

static const char *const quick =
    "void halves(global int *a, int from, int to);\n"
    "void halves(global int *a, int from, int to) {\n"
    "  if (to - from < 2) return;\n"
    "  int pivot = a[to - 1], at = from;\n"
    "  for (int i = from; i < to - 1; i++)\n"
    "    if (a[i] < pivot) { int t = a[i]; a[i] = a[at]; a[at++] = t; }\n"
    "  a[to - 1] = a[at]; a[at] = pivot;\n"
    "  enqueue_kernel(get_default_queue(), FLAGS, ndrange_1D(1), ^{ halves(a, from, at); });\n"
    "  enqueue_kernel(get_default_queue(), FLAGS, ndrange_1D(1), ^{ halves(a, at + 1, to); });\n"
    "}\n"
    "kernel void sort(global int *a, int n) { halves(a, 0, n); }\n";

static int quicksort(const char *flags)
{
    char options[200];
    int values[N], n = 12;
    cl_int code;
    begin(NULL);
    device_queue();
    snprintf(options, sizeof options, "-cl-std=CL2.0 %s", flags);
    program = clCreateProgramWithSource(context, 1, (const char **)&quick, NULL, &code);
    OK(code);
    OK(clBuildProgram(program, 0, NULL, options, NULL, NULL));
    cl_command_queue q = in_order();
    cl_mem a = buffer();
    for (int i = 0; i < N; i++)
        values[i] = i * 37 % N;
    OK(clEnqueueWriteBuffer(q, a, CL_TRUE, 0, BYTES, values, 0, NULL, NULL));
    cl_kernel k = kernel("sort", a, NULL, NULL);
    OK(clSetKernelArg(k, 1, sizeof n, &n));
    launch(q, k, 1, NULL);
    OK(clEnqueueReadBuffer(q, a, CL_TRUE, 0, BYTES, values, 0, NULL, NULL));
    return 0;
}

#endif
