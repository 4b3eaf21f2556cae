// expect: clean
// Commands that are recorded to an in-order queue execute in the order of recording [CL 5.17].
#include "recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order();
    recording r = record(q);
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    add(r, k, 0);
    add(r, k, 0);
    finalize(r);
    run(r, NULL);
    OK(clFinish(q));
    return 0;
}
