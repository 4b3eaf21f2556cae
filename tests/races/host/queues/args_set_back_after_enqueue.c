// expect: data-race
// at: add:1 read, add:1 write, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// fix: put the event of command 1 into the wait list of command 3
// The third launch uses the first one's buffer again, on the other queue.
#include "../host.h"
int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem a = buffer(), b = buffer();
    cl_kernel k = kernel("add", a, NULL, NULL);
    launch(q, k, N, NULL);
    OK(clSetKernelArg(k, 0, sizeof b, &b));
    launch(r, k, N, NULL);
    OK(clSetKernelArg(k, 0, sizeof a, &a));
    launch(r, k, N, NULL);
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
