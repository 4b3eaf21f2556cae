// expect: clean
// environment: REFCL_DEVICES=2
// Atomics at all_svm_devices scope synchronize kernels on two devices.
#include "../host.h"

int main(void)
{
    begin("memory_scope_all_svm_devices");
    cl_command_queue q = queue_on(0, 0), r = queue_on(1, 0);
    int *data = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER), *out = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    int *flag = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
    *flag = 0;
    launch(q, svm_kernel("publish", data, flag, NULL), 1, NULL);
    OK(clFlush(q));
    launch(r, svm_kernel("consume", data, flag, out), 1, NULL);
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
