// expect: clean
// The host waits for the first run.
#include "recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    recording r = record_on(1, &q, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
    add(r, kernel("add", buffer(), NULL, NULL), 0);
    finalize(r);
    cl_event first = run(r, NULL);
    OK(clWaitForEvents(1, &first));
    run(r, NULL);
    OK(clFinish(q));
    return 0;
}
