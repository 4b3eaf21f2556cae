// expect: data-race
// at: add:1 read, add:1 write, different kernels
// reason: no sync-point, in-order queue or barrier
// fix: put the sync-point of command
// The last command waits for the second one only, which does not wait for the first.
#include "recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    recording r = record(q);
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    cl_kernel other = kernel("add", buffer(), NULL, NULL);
    add(r, k, 0);
    add(r, k, add(r, other, 0));
    finalize(r);
    run(r, NULL);
    OK(clFinish(q));
    return 0;
}
