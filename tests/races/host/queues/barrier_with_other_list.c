// expect: data-race
// at: add:1 read, add:1 write, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// A barrier with a wait list waits for that list only.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    cl_event other = launch(q, kernel("add", buffer(), NULL, NULL), N, NULL);
    launch(q, k, N, NULL);
    OK(clEnqueueBarrierWithWaitList(q, 1, &other, NULL));
    launch(q, k, N, NULL);
    OK(clFinish(q));
    return 0;
}
