/* A command frees SVM that a command of another queue fills: freed_by_command beside, or freed_by_command
 * after, by an event. */
#define CL_TARGET_OPENCL_VERSION 200
#include "samples/sample.h"

#include <string.h>

enum { BYTES = 4096 };

int main(int argc, char **argv)
{
    cl_uint waits = argc > 1 && strcmp(argv[1], "after") == 0;
    const cl_int one = 1;
    cl_event filled;
    open_device();
    cl_command_queue fills = queue(0), frees = queue(0);
    void *memory = clSVMAlloc(context, CL_MEM_READ_WRITE, BYTES, 0);
    OK(!memory);
    OK(clEnqueueSVMMemFill(fills, memory, &one, sizeof one, BYTES, 0, NULL, &filled));
    OK(clFlush(fills));
    for (cl_int status = CL_QUEUED;
         !waits && status != CL_COMPLETE;) /* which orders nothing, but keeps the driver from a crash */
        OK(clGetEventInfo(filled, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    OK(clEnqueueSVMFree(frees, 1, &memory, NULL, NULL, waits, waits ? &filled : NULL, NULL));
    OK(clFinish(frees));
    OK(clFinish(fills));
    return 0;
}
