// expect: data-race
// build: host-cc
// title: A result that is used before it is there
// The read does not block, and the host adds up what the memory held before. Such accesses are seen in programs that are built with the flags of `refcl host-cc`.
#include "sample.h"

enum { N = 1 << 14 };
static int result[N];

int main(void)
{
    open_device();
    cl_command_queue q = queue(0);
    cl_kernel square = kernel(
        "kernel void square(global int *x) { int i = (int)get_global_id(0); x[i] = i * i; }", "square");
    cl_mem x = buffer(sizeof result);
    cl_event read;
    size_t items = N;
    unsigned sum = 0;
    arg(square, 0, x);
    OK(clEnqueueNDRangeKernel(q, square, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(q, x, CL_FALSE, 0, sizeof result, result, 0, NULL, &read));
#ifdef FIXED
    OK(clWaitForEvents(1, &read));
#else
    OK(clFlush(q));
#endif
    for (int i = 0; i < N; i++)
        sum += (unsigned)result[i];
    printf("%u\n", sum);
    OK(clFinish(q));
    return 0;
}
