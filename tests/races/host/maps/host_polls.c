// expect: data-race
// at: add:1 read, add:1 write, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// Polling an event's status is no synchronization [CL 5.11].
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    cl_event first = launch(q, k, N, NULL);
    cl_int status = CL_QUEUED;
    OK(clFlush(q));
    while (status != CL_COMPLETE)
        OK(clGetEventInfo(first, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    launch(r, k, N, NULL);
    OK(clFinish(r));
    return 0;
}
