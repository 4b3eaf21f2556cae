// expect: data-race
// at: publish:4 write, consume:8 read, different kernels
// at: scope-race publish:5 atomic-write, consume:7 atomic-read, different kernels
// reason: on this memory it includes only one kernel and its children
// environment: REFCL_DEVICES=2
// Device scope does not reach another device.
#include "../host.h"

int main(void)
{
    begin("memory_scope_device");
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
