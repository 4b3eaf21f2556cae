// expect: data-race
// title: An out-of-order queue used like an in-order one
// In an out-of-order queue only events and barriers order commands. Here the write and the kernel have none between them.
#include "sample.h"

enum { N = 1 << 16 };

int main(void)
{
    static int data[N];
    open_device();
    cl_command_queue q = queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_kernel add = kernel("kernel void add(global int *x, int n) { size_t i = get_global_id(0);\n"
                           "  if (i < n) x[i] += 1; }",
                           "add");
    cl_mem x = buffer(sizeof data);
    cl_event written, added;
    cl_int n = N - 100;
    size_t items = N;
    arg(add, 0, x);
    OK(clSetKernelArg(add, 1, sizeof n, &n));
    OK(clEnqueueWriteBuffer(q, x, CL_FALSE, 0, sizeof data, data, 0, NULL, &written));
#ifdef FIXED
    OK(clEnqueueNDRangeKernel(q, add, 1, NULL, &items, NULL, 1, &written, &added));
#else
    OK(clEnqueueNDRangeKernel(q, add, 1, NULL, &items, NULL, 0, NULL, &added));
#endif
    OK(clEnqueueReadBuffer(q, x, CL_TRUE, 0, sizeof data, data, 1, &added, NULL));
    OK(clFinish(q));
    printf("%d\n", data[0]);
    return 0;
}
