// expect: mapped-access
// at: add:1
// A kernel writes coarse-grained SVM that the host has mapped for reading [CL 5.6.1 R37].
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
    launch(r, svm_kernel("add", p, NULL, NULL), N, NULL); /* [CL 5.6.1 R37] */
    OK(clFinish(r));
    OK(clEnqueueSVMUnmap(q, p, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
