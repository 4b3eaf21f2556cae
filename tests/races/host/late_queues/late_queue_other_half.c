// expect: clean
// The first queue's kernel writes one half of a buffer, the copy of the later one the other half.
#include "late_queue.h"

int main(void)
{
    begin_with(loops, "memory_scope_device");
    cl_command_queue q = in_order();
    static const int ones[N / 2];
    cl_mem a = buffer();
    launch(q, kernel("half_of", a, NULL, NULL), N, NULL);
    cl_command_queue r = later_than(q);
    OK(clEnqueueWriteBuffer(r, a, CL_FALSE, BYTES / 2, BYTES / 2, ones, 0, NULL, NULL));
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
