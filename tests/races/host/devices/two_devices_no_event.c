// expect: data-race
// at: add:1 read, add:1 write, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// environment: REFCL_DEVICES=2
// Nothing orders kernels on two devices that write one SVM allocation.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = queue_on(0, 0), r = queue_on(1, 0);
    int *a = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    cl_kernel k = svm_kernel("add", a, NULL, NULL);
    launch(q, k, N, NULL);
    launch(r, k, N, NULL);
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
