// expect: clean
// The host writes coarse-grained SVM while it is mapped.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order();
    int *a = shared(0);
    OK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_WRITE, a, BYTES, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        a[i] = i;
    OK(clEnqueueSVMUnmap(q, a, 0, NULL, NULL));
    launch(q, svm_kernel("add", a, NULL, NULL), N, NULL);
    OK(clFinish(q));
    return 0;
}
