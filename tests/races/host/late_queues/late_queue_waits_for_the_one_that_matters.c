// expect: clean
// The second queue does not wait for one kernel of the first queue, which uses another buffer.
#include "late_queue.h"

int main(void)
{
    begin_with(loops, "memory_scope_device");
    cl_command_queue q = in_order();
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    cl_event first = launch(q, k, N, NULL);
    launch(q, kernel("add", buffer(), NULL, NULL), N, NULL);
    cl_command_queue r = later_than(q);
    launch(r, k, N, first);
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
