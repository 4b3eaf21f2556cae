// expect: data-race
// at: 13 write, 14 read, command and command
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// A non-blocking read into host memory on one queue, and a write from that memory on another queue.
#include "../host.h"

int main(void)
{
    static int h[N];
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem a = buffer(), b = buffer();
    OK(clEnqueueReadBuffer(q, a, CL_FALSE, 0, BYTES, h, 0, NULL, NULL));
    OK(clEnqueueWriteBuffer(r, b, CL_FALSE, 0, BYTES, h, 0, NULL, NULL));
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
