// expect: data-race
// at: add:1 write, 14 write, command and work-item
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// fix: the event of command 1 into the wait list of command 2
// Memory is filled by one queue while a kernel of another uses it.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    int *a = shared(0), zero = 0;
    launch(q, svm_kernel("add", a, NULL, NULL), N, NULL);
    OK(clEnqueueSVMMemFill(r, a, &zero, sizeof zero, BYTES, 0, NULL, NULL));
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
