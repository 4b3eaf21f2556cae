// expect: data-race
// title: A missing event between two queues
// One queue computes, the other one reads the result. Nothing says that the read comes after the kernel: queues are not ordered with one another.
#include "sample.h"

enum { N = 1 << 16 };

int main(void)
{
    static float result[N];
    open_device();
    cl_command_queue compute = queue(0), transfer = queue(0);
    cl_kernel square = kernel("kernel void square(global float *x) { size_t i = get_global_id(0);\n"
                              "  x[i] = (float)i * (float)i; }",
                              "square");
    cl_mem x = buffer(sizeof result);
    cl_event done;
    size_t items = N;
    arg(square, 0, x);
    OK(clEnqueueNDRangeKernel(compute, square, 1, NULL, &items, NULL, 0, NULL, &done));
    OK(clFlush(compute));
#ifdef FIXED
    OK(clEnqueueReadBuffer(transfer, x, CL_TRUE, 0, sizeof result, result, 1, &done, NULL));
#else
    OK(clEnqueueReadBuffer(transfer, x, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL));
#endif
    OK(clFinish(compute));
    printf("%g\n", (double)result[N - 1]);
    return 0;
}
