// expect: clean
// A kernel reads memory that the command after it in the queue frees.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order();
    int *a = shared(0);
    launch(q, svm_kernel("copy", a, shared(0), NULL), 8, NULL);
    OK(clEnqueueSVMFree(q, 1, (void *[]){a}, NULL, NULL, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
