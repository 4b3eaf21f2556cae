// expect: data-race
// title: Memory that is freed while a command may use it
// clSVMFree waits for no command: that the program saw the fill complete before is no synchronization either.
#define CL_TARGET_OPENCL_VERSION 200
#include "sample.h"

enum { BYTES = 1 << 16 };

int main(void)
{
    open_device();
    cl_command_queue q = queue(0);
    cl_event filled;
    cl_int zero = 0;
    int *x = clSVMAlloc(context, CL_MEM_READ_WRITE, BYTES, 0);
    OK(clEnqueueSVMMemFill(q, x, &zero, sizeof zero, BYTES, 0, NULL, &filled));
    OK(clFlush(q));
#ifdef FIXED
    OK(clWaitForEvents(1, &filled));
#else
    for (cl_int status = CL_QUEUED; status != CL_COMPLETE;)
        OK(clGetEventInfo(filled, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
#endif
    clSVMFree(context, x);
    OK(clFinish(q));
    return 0;
}
