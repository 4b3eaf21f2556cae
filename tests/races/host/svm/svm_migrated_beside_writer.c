// expect: data-race
// at: add:1 write, 14 read, command and work-item
// reason: no event, wait list
// A migration of SVM that a kernel writes needs an order with that kernel [CL 5.6.1 R39].
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    int *a = shared(0);
    launch(q, svm_kernel("add", a, NULL, NULL), N, NULL);
    OK(clFlush(q));
    OK(clEnqueueSVMMigrateMem(r, 1, (const void *[]){a}, NULL, 0, 0, NULL, NULL));
    OK(clFinish(r));
    OK(clFinish(q));
    return 0;
}
