// expect: clean
// A kernel reads SVM that the host has mapped for reading.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    int *p = shared(0);
    OK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_WRITE, p, BYTES, 0, NULL, NULL));
    memset(p, 0, BYTES);
    OK(clEnqueueSVMUnmap(q, p, 0, NULL, NULL));
    OK(clFinish(q));
    OK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, p, BYTES, 0, NULL, NULL));
    launch(r, svm_kernel("copy", p, shared(0), NULL), N, NULL);
    OK(clFinish(r));
    OK(clEnqueueSVMUnmap(q, p, 0, NULL, NULL));
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
