// expect: data-race
// at: half_of:6 write, 15 write, command and work-item
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// The copy of the later queue begins one element too early.
#include "late_queue.h"

int main(void)
{
    begin_with(loops, "memory_scope_device");
    cl_command_queue q = in_order();
    static const int ones[N / 2 + 1];
    cl_mem a = buffer();
    launch(q, kernel("half_of", a, NULL, NULL), N, NULL);
    cl_command_queue r = later_than(q);
    OK(clEnqueueWriteBuffer(r, a, CL_FALSE, BYTES / 2 - 4, BYTES / 2 + 4, ones, 0, NULL, NULL));
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
