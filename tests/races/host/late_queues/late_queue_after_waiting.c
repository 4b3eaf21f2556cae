// expect: clean
// The host waits for the first queue before it uses the later one.
#include "late_queue.h"

int main(void)
{
    begin_with(loops, "memory_scope_device");
    cl_command_queue q = in_order();
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    launch(q, k, N, NULL);
    OK(clFinish(q));
    launch(q, k, N, NULL);
    OK(clFinish(q));
    cl_command_queue r = later_than(q);
    launch(r, k, N, NULL);
    OK(clFinish(r));
    return 0;
}
