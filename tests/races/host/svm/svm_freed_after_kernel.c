// expect: clean
// Memory that kernels and a map have used is freed, still mapped, after a wait for the last command.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order();
    int *a = shared(0), *b = shared(0);
    launch(q, svm_kernel("add", a, NULL, NULL), N, NULL);
    cl_event copied = launch(q, svm_kernel("copy", a, b, NULL), N, NULL);
    OK(clWaitForEvents(1, &copied));
    clSVMFree(context, a);
    OK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, b, BYTES, 0, NULL, NULL));
    clSVMFree(context, b);
    OK(clFinish(q));
    return 0;
}
