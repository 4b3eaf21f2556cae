// expect: data-race
// at: add:1 read, add:1 write, different kernels
// reason: no sync-point, in-order queue or barrier
// fix: put the sync-point of command 4 into the wait list of command 5
// No sync-point orders two commands that are recorded to an out-of-order queue.
#include "recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    recording r = record(q);
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    add(r, k, 0);
    add(r, k, 0);
    finalize(r);
    run(r, NULL);
    OK(clFinish(q));
    return 0;
}
