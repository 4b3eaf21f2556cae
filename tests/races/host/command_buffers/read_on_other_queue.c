// expect: data-race
// at: add:1 write, 19 read, command and work-item
// reason: no event, wait list
// fix: put the event of command
// A read on another queue does not wait for the run.
#include "recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), other = in_order();
    recording r = record(q);
    cl_mem a = buffer();
    int result[N];
    add(r, kernel("add", a, NULL, NULL), 0);
    finalize(r);
    cl_event done = run(r, NULL);
    OK(clFlush(q));
    OK(clEnqueueReadBuffer(other, a, CL_FALSE, 0, BYTES, result, 0, NULL, NULL));
    OK(clFinish(other));
    OK(clFinish(q));
    OK(clReleaseEvent(done));
    return 0;
}
