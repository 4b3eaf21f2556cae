// expect: data-race
// at: 12 write, 13 write, command and command
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// Two reads into the same host memory on an out-of-order queue.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    int *values = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    OK(clEnqueueReadBuffer(q, buffer(), CL_FALSE, 0, BYTES, values, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(q, buffer(), CL_FALSE, 0, BYTES, values, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
