// expect: data-race
// title: Polling an event orders nothing
// The host polls the event until the kernel is complete, and then uses the result on another queue. clGetEventInfo is no synchronization.
#include "sample.h"

enum { N = 1 << 14 };

int main(void)
{
    open_device();
    cl_command_queue q = queue(0), r = queue(0);
    cl_kernel fill =
        kernel("kernel void fill(global int *x) { size_t i = get_global_id(0); x[i] = (int)i; }", "fill");
    cl_mem x = buffer(N * 4), y = buffer(N * 4);
    cl_event filled;
    size_t items = N;
    arg(fill, 0, x);
    OK(clEnqueueNDRangeKernel(q, fill, 1, NULL, &items, NULL, 0, NULL, &filled));
    OK(clFlush(q));
#ifdef FIXED
    OK(clWaitForEvents(1, &filled));
#else
    for (cl_int status = CL_QUEUED; status != CL_COMPLETE;)
        OK(clGetEventInfo(filled, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
#endif
    OK(clEnqueueCopyBuffer(r, x, y, 0, 0, N * 4, 0, NULL, NULL));
    OK(clFinish(r));
    OK(clFinish(q));
    return 0;
}
