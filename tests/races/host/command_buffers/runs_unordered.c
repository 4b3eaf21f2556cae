// expect: data-race
// at: add:1 read, add:1 write, different kernels
// reason: no event, wait list
// fix: put the event of command 2 into the wait list of command 3
// Nothing orders two runs in an out-of-order queue, which the buffer allows.
#include "recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    recording r = record_on(1, &q, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
    add(r, kernel("add", buffer(), NULL, NULL), 0);
    finalize(r);
    run(r, NULL);
    run(r, NULL);
    OK(clFinish(q));
    return 0;
}
