// expect: clean
// build: host-cc
// The host calls memset, memcpy and memmove before the enqueue, and memcmp after the wait.
#include "../host.h"

int main(void)
{
    static int values[N];
    begin(NULL);
    cl_command_queue q = in_order();
    int *a = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    memset(a, 0, BYTES);
    memcpy(a, values, BYTES / 2);
    memmove(a + 1, a, BYTES / 2);
    launch(q, svm_kernel("add", a, NULL, NULL), N, NULL);
    OK(clFinish(q));
    return memcmp(a, values, BYTES) == 0;
}
