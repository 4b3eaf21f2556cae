// expect: clean
// The write from host memory waits for the read into it on another queue.
#include "../host.h"

int main(void)
{
    static int h[N];
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem a = buffer(), b = buffer();
    cl_event there;
    OK(clEnqueueReadBuffer(q, a, CL_FALSE, 0, BYTES, h, 0, NULL, &there));
    OK(clFlush(q));
    OK(clEnqueueWriteBuffer(r, b, CL_FALSE, 0, BYTES, h, 1, &there, NULL));
    OK(clFinish(r));
    return 0;
}
