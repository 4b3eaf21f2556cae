// expect: data-race
// at: 12 write, 13 write, command and command
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// Two copies write the same bytes.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_mem a = buffer(), b = buffer();
    OK(clEnqueueCopyBuffer(q, a, b, 0, 0, BYTES / 2 + 4, 0, NULL, NULL));
    OK(clEnqueueCopyBuffer(q, a, b, 0, BYTES / 2, BYTES / 2, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
