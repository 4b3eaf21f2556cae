// expect: data-race
// at: copy:2 read, 20 write, command and work-item
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// fix: put the event of command 2 into the wait list of command 5, and so on: 2 pairs
// Two staging buffers, but a write waits for the kernel of three iterations ago.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem stage[2], out = buffer();
    cl_event used[8];
    for (int i = 0; i < 2; i++)
        stage[i] = buffer();
    for (int i = 0; i < 6; i++) {
        int values[N] = {i};
        cl_event written;
        cl_mem to = stage[i % 2];
        OK(clEnqueueWriteBuffer(q, to, CL_FALSE, 0, BYTES, values, i >= 3, i >= 3 ? &used[i - 3] : NULL,
                                &written));
        OK(clFlush(q));
        used[i] = launch(r, kernel("copy", to, out, NULL), N, written);
        OK(clWaitForEvents(1, &written));
    }
    OK(clFinish(r));
    return 0;
}
