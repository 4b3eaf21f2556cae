// expect: data-race
// at: add:1 write, 14 read, command and work-item
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// fix: put the event of command 1 into the wait list of command 2
// A copy reads what a kernel writes.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_mem a = buffer();
    launch(q, kernel("add", a, NULL, NULL), N, NULL);
    OK(clEnqueueCopyBuffer(q, a, buffer(), 0, 0, BYTES, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
