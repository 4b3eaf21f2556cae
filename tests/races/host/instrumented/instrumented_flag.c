// expect: clean
// build: host-cc
// A kernel passes a message to the host through fine-grained SVM with release and acquire atomics.
#include "../host.h"

int main(void)
{
    begin("memory_scope_all_svm_devices");
    cl_command_queue q = in_order();
    int *data = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    int *flag = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
    flag[0] = 0;
    launch(q, svm_kernel("publish", data, flag, NULL), 1, NULL);
    OK(clFlush(q));
    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
        ;
    printf("%d\n", data[0]);
    OK(clFinish(q));
    return 0;
}
