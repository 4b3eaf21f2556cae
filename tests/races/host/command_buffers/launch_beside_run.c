// expect: data-race
// at: add:1 read, add:1 write, different kernels
// reason: no event, wait list
// fix: put the event of command 3 into the wait list of command 4
// A launch does not wait for the run that was enqueued before it.
#include "recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    recording r = record(q);
    cl_mem a = buffer();
    cl_kernel k = kernel("add", a, NULL, NULL);
    add(r, k, 0);
    add(r, kernel("add", buffer(), NULL, NULL), 0);
    finalize(r);
    run(r, NULL);
    launch(q, k, N, NULL);
    OK(clFinish(q));
    return 0;
}
