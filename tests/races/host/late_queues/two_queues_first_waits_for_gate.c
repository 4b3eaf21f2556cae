// expect: data-race
// at: add:1 read, add:1 write, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// fix: put the event of command 1 into the wait list of command 2
// The kernel that was enqueued first waits for a user event, and runs concurrently with or after the second.
#include "../host.h"
#include <unistd.h>

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    cl_int code;
    cl_event gate = clCreateUserEvent(context, &code);
    OK(code);
    launch(q, k, N, gate);
    launch(r, k, N, NULL);
    OK(clFlush(r));
    usleep(20000);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
