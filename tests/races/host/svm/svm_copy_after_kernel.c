// expect: clean
// The copy within SVM waits for the kernel.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    int *a = shared(0), *b = shared(0);
    cl_event first = launch(q, svm_kernel("add", a, NULL, NULL), N, NULL);
    OK(clEnqueueSVMMemcpy(q, CL_FALSE, b, a, BYTES, 1, &first, NULL));
    OK(clFinish(q));
    return 0;
}
