// expect: scope-race
// at: count:9 atomic-rmw, count:9 atomic-rmw, different kernels
// reason: on this memory it includes only one kernel and its children
// environment: REFCL_DEVICES=2
// Two devices count in one atomic with device scope.
#include "../host.h"

int main(void)
{
    begin("memory_scope_device");
    cl_command_queue q = queue_on(0, 0), r = queue_on(1, 0);
    int *n = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
    launch(q, svm_kernel("count", n, NULL, NULL), N, NULL);
    launch(r, svm_kernel("count", n, NULL, NULL), N, NULL);
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
