// expect: data-race
// title: Host memory that is used again too early
// Two uploads use the same host memory. The second download into it does not wait for the first upload from it.
#include "sample.h"

enum { BYTES = 1 << 18 };

int main(void)
{
    static char staging[BYTES];
    open_device();
    cl_command_queue upload = queue(0), download = queue(0);
    cl_mem a = buffer(BYTES), b = buffer(BYTES);
    cl_event uploaded;
    cl_int zero = 0;
    OK(clEnqueueFillBuffer(download, b, &zero, sizeof zero, 0, BYTES, 0, NULL, NULL));
    OK(clEnqueueWriteBuffer(upload, a, CL_FALSE, 0, BYTES, staging, 0, NULL, &uploaded));
#ifdef FIXED
    OK(clWaitForEvents(1, &uploaded));
#endif
    OK(clEnqueueReadBuffer(download, b, CL_FALSE, 0, BYTES, staging, 0, NULL, NULL));
    OK(clFinish(upload));
    OK(clFinish(download));
    return 0;
}
