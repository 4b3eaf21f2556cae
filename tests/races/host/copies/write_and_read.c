// expect: data-race
// at: 13 write, 14 read, command and command
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// A non-blocking write and a read of the same buffer in an out-of-order queue.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_mem a = buffer();
    static int from[N], to[N];
    OK(clEnqueueWriteBuffer(q, a, CL_FALSE, 0, BYTES, from, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(q, a, CL_FALSE, 0, BYTES, to, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
