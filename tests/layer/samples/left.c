// expect: leak
// title: An event in each step, and none is released
// With `--check all`, failed calls and what is never released are findings, too. Here memory grows with each step.
// options: --check all
#include "sample.h"

enum { BYTES = 1 << 12, STEPS = 4 };

int main(void)
{
    open_device();
    cl_command_queue q = queue(0);
    cl_mem x = buffer(BYTES);
    cl_int zero = 0;
    for (int step = 0; step < STEPS; step++) {
        cl_event filled;
        OK(clEnqueueFillBuffer(q, x, &zero, sizeof zero, 0, BYTES, 0, NULL, &filled));
        OK(clWaitForEvents(1, &filled));
#ifdef FIXED
        OK(clReleaseEvent(filled));
#endif
    }
    OK(clReleaseMemObject(x));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(context));
    return 0;
}
