// expect: data-race
// fix: before the host access
// reason: neither waits for it
// The host writes coarse-grained SVM, unmapped, while a kernel may run.
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
    p[5] = 1;
    OK(clFinish(q));
    return 0;
}
