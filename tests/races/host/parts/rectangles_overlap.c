// expect: data-race
// at: 13 write, 14 write, command and command
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// Two rectangles share a corner.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_mem a = buffer(), b = buffer();
    size_t zero[3] = {0, 0, 0}, inner[3] = {4, 3, 0}, region[3] = {8, 4, 1};
    OK(clEnqueueCopyBufferRect(q, a, b, zero, zero, region, 16, 0, 16, 0, 0, NULL, NULL));
    OK(clEnqueueCopyBufferRect(q, a, b, zero, inner, region, 16, 0, 16, 0, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
