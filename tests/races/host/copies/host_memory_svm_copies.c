// expect: data-race
// at: 13 write, 14 write, command and command
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// Two copies of SVM into the same host memory on an out-of-order queue.
#include "../host.h"

int main(void)
{
    static int h[N];
    begin(NULL);
    cl_command_queue q = out_of_order();
    int *a = shared(0), *b = shared(0);
    OK(clEnqueueSVMMemcpy(q, CL_FALSE, h, a, BYTES, 0, NULL, NULL));
    OK(clEnqueueSVMMemcpy(q, CL_FALSE, h + N / 2, b, BYTES / 2, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
