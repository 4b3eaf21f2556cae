// expect: clean
// The second command waits for the sync-point of the first.
#include "recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    recording r = record(q);
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    add(r, k, add(r, k, 0));
    finalize(r);
    run(r, NULL);
    OK(clFinish(q));
    return 0;
}
