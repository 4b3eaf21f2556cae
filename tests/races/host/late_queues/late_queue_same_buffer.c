// expect: data-race
// at: add:1 read, add:1 write, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// fix: put the event of command 1 into the wait list of command 2
// A queue that is created later is not ordered after earlier commands of the first queue.
#include "late_queue.h"

int main(void)
{
    begin_with(loops, "memory_scope_device");
    cl_command_queue q = in_order();
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    launch(q, k, N, NULL);
    cl_command_queue r = later_than(q);
    launch(r, k, N, NULL);
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
