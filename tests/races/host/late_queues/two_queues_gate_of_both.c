// expect: data-race
// at: add:1 read, add:1 write, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// Two queues wait for the same user event, but not for each other.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    cl_int code;
    cl_event gate = clCreateUserEvent(context, &code);
    OK(code);
    launch(q, k, N, gate);
    launch(r, k, N, gate);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
