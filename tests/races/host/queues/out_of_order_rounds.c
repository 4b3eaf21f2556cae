// expect: data-race
// at: add:1 write, 17 read, command and work-item
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// fix: , and so on: 3 pairs
// The copy of each iteration waits for nothing: with one wait list that names the kernel's event the other
// pairs still race.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_mem from = buffer(), to = buffer();
    cl_kernel k = kernel("add", from, NULL, NULL);
    for (int i = 0; i < 3; i++) {
        launch(q, k, N, NULL);
        OK(clEnqueueCopyBuffer(q, from, to, 0, 0, BYTES, 0, NULL, NULL));
        OK(clFinish(q));
    }
    return 0;
}
