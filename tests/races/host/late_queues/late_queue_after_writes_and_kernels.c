// expect: data-race
// at: add:1 read, copy:4 write, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// The first queue executes writes and kernels alternately; the host does not wait for the last kernel.
#include "late_queue.h"

int main(void)
{
    begin_with(loops, "memory_scope_device");
    cl_command_queue q = in_order();
    static int data[N];
    cl_mem a = buffer(), b = buffer();
    for (int i = 0; i < 3; i++) {
        OK(clEnqueueWriteBuffer(q, a, CL_FALSE, 0, BYTES, data, 0, NULL, NULL));
        launch(q, kernel("copy", a, b, NULL), N, NULL);
    }
    cl_command_queue r = later_than(q);
    launch(r, kernel("add", b, NULL, NULL), N, NULL);
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
