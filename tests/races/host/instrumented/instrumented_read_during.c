// expect: data-race
// at: add:1 write, 16 read, host and work-item
// reason: the host neither waits for it nor enqueues it afterwards
// fix: wait for command 1
// build: host-cc
// The host reads a result without waiting for the kernel.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order();
    int *a = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    launch(q, svm_kernel("add", a, NULL, NULL), N, NULL);
    OK(clFlush(q));
    printf("%d\n", a[3]);
    OK(clFinish(q));
    return 0;
}
