// expect: clean
// The host waits for the event before it enqueues to the other queue.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem a = buffer();
    cl_event done = launch(q, kernel("add", a, NULL, NULL), N, NULL);
    OK(clWaitForEvents(1, &done));
    launch(r, kernel("copy", a, buffer(), NULL), N, NULL);
    OK(clFinish(r));
    return 0;
}
