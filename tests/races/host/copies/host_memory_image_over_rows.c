// expect: data-race
// at: 15 write, 16 write, command and command
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// An image is read into the middle of a host array while a blocking read of a part of a buffer writes its
// last two rows.
#include "../host.h"

int main(void)
{
    static int h[4 * N];
    const size_t origin[3] = {0, 0, 0}, at[3] = {0, 9, 0}, whole[3] = {8, 8, 1}, rows[3] = {32, 4, 1};
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem a = picture(), b = buffer();
    OK(clEnqueueReadImage(q, a, CL_FALSE, origin, whole, 32, 0, h + 24, 0, NULL, NULL));
    OK(clEnqueueReadBufferRect(r, b, CL_TRUE, origin, at, rows, 32, 0, 32, 0, h, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
