// expect: clean
// build: host-cc
// A native kernel between two kernels that use the same SVM, each waiting for the one before.
#include "../host.h"

static void CL_CALLBACK set(void *argument)
{
    **(int **)argument = 7;
}

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    int *a = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    cl_kernel k = svm_kernel("add", a, NULL, NULL);
    cl_event first = launch(q, k, N, NULL), native;
    OK(clEnqueueNativeKernel(q, set, &a, sizeof a, 0, NULL, NULL, 1, &first, &native));
    launch(q, k, N, native);
    OK(clFinish(q));
    return 0;
}
