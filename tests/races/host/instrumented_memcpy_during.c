// expect: data-race
// build: host-cc
// The host copies into shared memory with a function of the C library while the kernel may run.
#include "host.h"

int main(void)
{
    static int values[N];
    begin(NULL);
    cl_command_queue q = in_order();
    int *a = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    launch(q, svm_kernel("add", a, NULL, NULL), N, NULL);
    memcpy(a, values, BYTES);
    OK(clFinish(q));
    return 0;
}
