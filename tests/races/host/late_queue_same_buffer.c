// expect: data-race
// fix: put the event of command 1 into the wait list of command 2
// A queue that comes later is not ordered with what the first was given.
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
