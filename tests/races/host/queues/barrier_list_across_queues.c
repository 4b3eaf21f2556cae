// expect: clean
// A barrier command of the second queue waits for the first queue's event; later commands wait for the
// barrier.
#include "../host.h"
int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = out_of_order();
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    cl_event e = launch(q, k, N, NULL);
    OK(clEnqueueBarrierWithWaitList(r, 1, &e, NULL));
    launch(r, k, N, NULL);
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
