// expect: mapped-access
// title: A kernel that uses what the host has mapped
// While the host has a buffer mapped for writing, no command may use it. The unmap comes too late.
#include "sample.h"

enum { N = 1 << 14 };

int main(void)
{
    open_device();
    cl_command_queue q = queue(0);
    cl_kernel twice =
        kernel("kernel void twice(global int *x) { size_t i = get_global_id(0); x[i] = 2 * x[i]; }", "twice");
    cl_mem x = buffer(N * 4);
    cl_int code;
    size_t items = N;
    int *p = clEnqueueMapBuffer(q, x, CL_TRUE, CL_MAP_WRITE, 0, N * 4, 0, NULL, NULL, &code);
    OK(code);
    for (int i = 0; i < N; i++)
        p[i] = i;
    arg(twice, 0, x);
#ifdef FIXED
    OK(clEnqueueUnmapMemObject(q, x, p, 0, NULL, NULL));
#endif
    OK(clEnqueueNDRangeKernel(q, twice, 1, NULL, &items, NULL, 0, NULL, NULL));
#ifndef FIXED
    OK(clEnqueueUnmapMemObject(q, x, p, 0, NULL, NULL));
#endif
    OK(clFinish(q));
    return 0;
}
