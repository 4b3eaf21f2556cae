// expect: clean
// The host waits, maps, reads and writes.
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
    OK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, p, BYTES, 0, NULL, NULL));
    p[5] += p[6];
    OK(clEnqueueSVMUnmap(q, p, 0, NULL, NULL));
    launch(q, svm_kernel("add", p, NULL, NULL), N, NULL);
    OK(clFinish(q));
    return 0;
}
