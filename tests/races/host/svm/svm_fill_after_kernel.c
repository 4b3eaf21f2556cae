// expect: clean
// The fill waits for the kernel of the other queue.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    int *a = shared(0), zero = 0;
    cl_event done = launch(q, svm_kernel("add", a, NULL, NULL), N, NULL);
    OK(clFlush(q));
    OK(clEnqueueSVMMemFill(r, a, &zero, sizeof zero, BYTES, 1, &done, NULL));
    OK(clFinish(r));
    return 0;
}
