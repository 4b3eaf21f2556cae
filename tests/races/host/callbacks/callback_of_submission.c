// expect: data-race
// at: add:1 read, add:1 write, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// The callback is for CL_SUBMITTED: the first kernel has not run yet.
#include "../host.h"

static void CL_CALLBACK open_gate(cl_event event, cl_int status, void *gate)
{
    (void)event;
    (void)status;
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
}

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    cl_int code;
    cl_event gate = clCreateUserEvent(context, &code);
    OK(code);
    launch(r, k, N, gate);
    OK(clSetEventCallback(launch(q, k, N, NULL), CL_SUBMITTED, open_gate, gate));
    OK(clFlush(q));
    OK(clFinish(r));
    OK(clFinish(q));
    return 0;
}
