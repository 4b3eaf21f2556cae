// expect: data-race
// at: add:1 read, 13 write, command and work-item
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// A fill and a kernel on one buffer.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_mem a = buffer();
    int zero = 0;
    OK(clEnqueueFillBuffer(q, a, &zero, sizeof zero, 0, BYTES, 0, NULL, NULL));
    launch(q, kernel("add", a, NULL, NULL), N, NULL);
    OK(clFinish(q));
    return 0;
}
