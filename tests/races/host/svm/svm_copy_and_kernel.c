// expect: data-race
// at: add:1 write, 13 read, command and work-item
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// A copy within SVM reads what a kernel writes.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    int *a = shared(0), *b = shared(0);
    launch(q, svm_kernel("add", a, NULL, NULL), N, NULL);
    OK(clEnqueueSVMMemcpy(q, CL_FALSE, b, a, BYTES, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
