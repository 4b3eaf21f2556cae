// expect: clean
// A barrier with a sync-point waits for that command, and those after the barrier wait for it [CL 5.17.5].
#include "recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    recording r = record(q);
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    add_barrier(r, add(r, k, 0));
    add(r, k, 0);
    finalize(r);
    run(r, NULL);
    OK(clFinish(q));
    return 0;
}
