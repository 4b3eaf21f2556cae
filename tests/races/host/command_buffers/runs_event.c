// expect: clean
// The second run waits for the event of the first, and so for all its commands.
#include "recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    recording r = record_on(1, &q, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
    add(r, kernel("add", buffer(), NULL, NULL), 0);
    finalize(r);
    run(r, run(r, NULL));
    OK(clFinish(q));
    return 0;
}
