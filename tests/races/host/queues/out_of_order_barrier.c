// expect: clean
// A barrier without a wait list waits for all commands before it [CL 3.3.6 H7].
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    launch(q, k, N, NULL);
    OK(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL));
    launch(q, k, N, NULL);
    OK(clFinish(q));
    return 0;
}
