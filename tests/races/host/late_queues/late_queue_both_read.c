// expect: clean
// Kernels of both queues read one buffer and write others.
#include "late_queue.h"

int main(void)
{
    begin_with(loops, "memory_scope_device");
    cl_command_queue q = in_order();
    cl_mem a = buffer();
    launch(q, kernel("copy", a, buffer(), NULL), N, NULL);
    cl_command_queue r = later_than(q);
    launch(r, kernel("copy", a, buffer(), NULL), N, NULL);
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
