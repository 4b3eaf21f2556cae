// expect: clean
// Two runs in an in-order queue.
#include "recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order();
    recording r = record_on(1, &q, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
    add(r, kernel("add", buffer(), NULL, NULL), 0);
    finalize(r);
    run(r, NULL);
    run(r, NULL);
    OK(clFinish(q));
    return 0;
}
