// expect: needless-wait
// title: Waiting that orders nothing
// A pipeline on one in-order queue, whose host waits after each step. With `--check race,needless` hints name waits without which all accesses that conflict are ordered still. They are no faults, and all of them can be removed together. Memory that the host shares with commands counts: the first clFinish is not named.
// options: --check race,needless
#include "sample.h"

enum { N = 4096, STEPS = 3 };
static cl_int input[N], result[N];

int main(void)
{
    open_device();
    cl_command_queue q = queue(0);
    cl_kernel add = kernel("kernel void add(global int *x) { x[get_global_id(0)] += 1; }", "add");
    cl_mem x = buffer(sizeof input);
    size_t items = N;
#ifndef FIXED
    cl_event added, before = NULL;
#endif
    OK(clEnqueueWriteBuffer(q, x, CL_FALSE, 0, sizeof input, input, 0, NULL, NULL));
    OK(clFinish(q)); /* needed: the host may use INPUT again */
    arg(add, 0, x);
    for (int step = 0; step < STEPS; step++) {
#ifdef FIXED
        OK(clEnqueueNDRangeKernel(q, add, 1, NULL, &items, NULL, 0, NULL, NULL));
#else
        OK(clEnqueueNDRangeKernel(q, add, 1, NULL, &items, NULL, step > 0, step ? &before : NULL, &added));
        OK(clFinish(q));
        before = added;
#endif
    }
    OK(clEnqueueReadBuffer(q, x, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL));
    printf("%d\n", result[0]);
    return 0;
}
