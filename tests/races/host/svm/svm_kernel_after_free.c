// expect: use-after-release
// at: copy:2
// A kernel reads memory that the command before it in the queue frees [CL 5.6.1 R14].
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order();
    int *a = shared(0);
    cl_kernel k = svm_kernel("copy", a, shared(0), NULL);
    OK(clEnqueueSVMFree(q, 1, (void *[]){a}, NULL, NULL, 0, NULL, NULL));
    launch(q, k, 8, NULL);
    OK(clFinish(q));
    return 0;
}
