// expect: data-race
// The host copies coarse-grained SVM with a library function before it waits for the kernel.
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
    int seen[N];
    launch(q, svm_kernel("add", p, NULL, NULL), N, NULL);
    OK(clFlush(q));
    memcpy(seen, p, sizeof seen);
    OK(clFinish(q));
    printf("%d\n", seen[3]);
    return 0;
}
