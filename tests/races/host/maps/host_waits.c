// expect: clean
// The host waits for the event and then enqueues [CL 3.3.6 H4, H1].
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    cl_event first = launch(q, k, N, NULL);
    OK(clWaitForEvents(1, &first));
    launch(r, k, N, NULL);
    OK(clFinish(r));
    return 0;
}
