// expect: data-race
// at: add:1 write, 16 read, host and work-item
// reason: the host neither waits for it nor enqueues it afterwards
// build: host-cc
// The host calls memcmp while the kernel may run.
#include "../host.h"

int main(void)
{
    static int values[N];
    begin(NULL);
    cl_command_queue q = in_order();
    int *a = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    memset(a, 0, BYTES);
    launch(q, svm_kernel("add", a, NULL, NULL), N, NULL);
    int different = memcmp(a, values, BYTES);
    OK(clFinish(q));
    return different > 1000;
}
