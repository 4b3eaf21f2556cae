// expect: clean
// build: host-cc
// The host passes a message to a running kernel.
#include "../host.h"

int main(void)
{
    begin("memory_scope_all_svm_devices");
    cl_command_queue q = in_order();
    int *data = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER), *out = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    int *flag = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
    flag[0] = 0;
    launch(q, svm_kernel("consume", data, flag, out), 1, NULL);
    OK(clFlush(q));
    data[0] = 7;
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    OK(clFinish(q));
    printf("%d\n", out[0]);
    return 0;
}
