// expect: clean
// A barrier without sync-points waits for all commands before it, and those after it wait for the barrier
// [CL 5.17.5].
#include "recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    recording r = record(q);
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    add(r, k, 0);
    add_barrier(r, 0);
    add(r, k, 0);
    finalize(r);
    run(r, NULL);
    OK(clFinish(q));
    return 0;
}
