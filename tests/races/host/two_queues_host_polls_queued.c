// expect: data-race
// That a command is queued, submitted or running says nothing of its end.
#include "host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem a = buffer();
    cl_int status = CL_COMPLETE;
    cl_event done = launch(q, kernel("add", a, NULL, NULL), N, NULL);
    OK(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    launch(r, kernel("copy", a, buffer(), NULL), N, NULL);
    OK(clFinish(q));
    OK(clFinish(r));
    if (status == CL_COMPLETE)
        printf("SKIP: the kernel was fast\n");
    return 0;
}
