// expect: data-race
// at: add:1 read, add:1 write, different kernels
// reason: no sync-point, in-order queue or barrier
// fix: put the sync-point of command
// A barrier with a sync-point waits for nothing else [CL 5.17.5]: not for the first command.
#include "recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    recording r = record(q);
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    cl_kernel other = kernel("add", buffer(), NULL, NULL);
    add(r, k, 0);
    add_barrier(r, add(r, other, 0));
    add(r, k, 0);
    finalize(r);
    run(r, NULL);
    OK(clFinish(q));
    return 0;
}
