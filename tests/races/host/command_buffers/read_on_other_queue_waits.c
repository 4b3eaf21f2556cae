// expect: clean
// A read on another queue waits for the event of the run.
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
    OK(clEnqueueReadBuffer(other, a, CL_FALSE, 0, BYTES, result, 1, &done, NULL));
    OK(clFinish(other));
    OK(clFinish(q));
    OK(clReleaseEvent(done));
    return 0;
}
