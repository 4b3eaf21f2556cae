// expect: clean
// build: host-cc
// The host writes fine-grained SVM, then enqueues the kernel [CL 3.3.6 H1].
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order();
    int *a = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER), sum = 0;
    for (int i = 0; i < N; i++)
        a[i] = i;
    launch(q, svm_kernel("add", a, NULL, NULL), N, NULL);
    OK(clFinish(q));
    for (int i = 0; i < N; i++)
        sum += a[i];
    printf("%d\n", sum);
    return 0;
}
