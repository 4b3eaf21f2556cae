// expect: data-race
// at: add:1 read, 15 write, host and work-item
// reason: the host neither waits for it nor enqueues it afterwards
// build: host-cc
// The host copies into shared memory with memcpy while the kernel may run.
#include "../host.h"

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
