// expect: data-race
// at: add:1 read, 15 write, host and work-item
// reason: the host neither waits for it nor enqueues it afterwards
// build: host-cc
// The host writes fine-grained SVM after it enqueued the kernel.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order();
    int *a = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    launch(q, svm_kernel("add", a, NULL, NULL), N, NULL);
    OK(clFlush(q));
    a[3] = 1;
    OK(clFinish(q));
    return 0;
}
