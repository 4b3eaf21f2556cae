// expect: clean
// environment: REFCL_DEVICES=2
// An event orders commands of two devices.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = queue_on(0, 0), r = queue_on(1, 0);
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    cl_event first = launch(q, k, N, NULL);
    OK(clFlush(q));
    launch(r, k, N, first);
    OK(clFinish(r));
    return 0;
}
