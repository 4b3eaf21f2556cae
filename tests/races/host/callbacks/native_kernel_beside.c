// expect: data-race
// at: add:1 read, 10 write, host and work-item
// reason: the host neither waits for it nor enqueues it afterwards
// build: host-cc
// A native kernel between two kernels that use the same SVM: it does not wait for the first.
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
    OK(clEnqueueNativeKernel(q, set, &a, sizeof a, 0, NULL, NULL, 0, NULL, &native));
    launch(q, k, N, first);
    OK(clFinish(q));
    return 0;
}
