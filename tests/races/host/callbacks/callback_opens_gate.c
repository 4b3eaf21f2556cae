// expect: clean
// A callback for the first kernel's completion sets the user event that the second waits for [CL 3.3.6 H11].
#include "../host.h"

static void CL_CALLBACK open_gate(cl_event event, cl_int status, void *gate)
{
    (void)event;
    OK(clSetUserEventStatus(gate, status));
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
    OK(clSetEventCallback(launch(q, k, N, NULL), CL_COMPLETE, open_gate, gate));
    OK(clFlush(q));
    OK(clFinish(r));
    return 0;
}
