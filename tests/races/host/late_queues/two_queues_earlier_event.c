// expect: data-race
// at: add:1 read, add:1 write, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// The event belongs to the command before the one that conflicts.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    cl_event first = launch(q, kernel("add", buffer(), NULL, NULL), N, NULL);
    launch(q, k, N, NULL);
    OK(clFlush(q));
    launch(r, k, N, first);
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
