// expect: data-race
// reason: neither waits for it
// The host reads coarse-grained SVM before it waits for the kernel.
#include "../host.h"

int main(void)
{
    need_keys();
    begin(NULL);
    cl_command_queue q = in_order();
    int *p = shared(0);
    OK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_WRITE, p, BYTES, 0, NULL, NULL));
    memset(p, 0, BYTES);
    OK(clEnqueueSVMUnmap(q, p, 0, NULL, NULL));
    OK(clFinish(q));
    launch(q, svm_kernel("add", p, NULL, NULL), N, NULL);
    OK(clFlush(q));
    int seen = ((volatile int *)p)[7];
    OK(clFinish(q));
    printf("%d\n", seen);
    return 0;
}
