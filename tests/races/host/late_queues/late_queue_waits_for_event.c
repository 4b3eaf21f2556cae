// expect: clean
// A command of a queue that is created later waits for the first queue's kernel.
#include "late_queue.h"

int main(void)
{
    begin_with(loops, "memory_scope_device");
    cl_command_queue q = in_order();
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    cl_event done = launch(q, k, N, NULL);
    cl_command_queue r = later_than(q);
    launch(r, k, N, done);
    OK(clFinish(r));
    return 0;
}
