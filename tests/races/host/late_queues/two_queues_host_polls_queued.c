// expect: data-race
// at: add:1 write, copy:2 read, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// The statuses queued, submitted and running do not imply completion.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem a = buffer();
    cl_int code, status = CL_COMPLETE;
    cl_event gate = clCreateUserEvent(context, &code);
    cl_event done = launch(q, kernel("add", a, NULL, NULL), N, gate);
    OK(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    OK(status > CL_COMPLETE ? CL_SUCCESS : CL_INVALID_OPERATION);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    launch(r, kernel("copy", a, buffer(), NULL), N, NULL);
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
