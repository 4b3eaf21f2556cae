// expect: data-race
// at: add:1 write, 15 read, command and work-item
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// Results are read through a queue that is created later, without a wait.
#include "late_queue.h"

int main(void)
{
    begin_with(loops, "memory_scope_device");
    cl_command_queue q = in_order();
    static int result[N];
    cl_mem a = buffer();
    launch(q, kernel("add", a, NULL, NULL), N, NULL);
    cl_command_queue r = later_than(q);
    OK(clEnqueueReadBuffer(r, a, CL_TRUE, 0, BYTES, result, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
