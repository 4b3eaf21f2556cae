// expect: clean
// A kernel passes a message in SVM to another kernel of the device, at device scope.
#include "../host.h"

int main(void)
{
    begin("memory_scope_device");
    cl_command_queue q = in_order(), r = in_order();
    int *data = shared(0), *out = shared(0), *flag = shared(0);
    int zero = 0;
    OK(clEnqueueSVMMemFill(q, flag, &zero, sizeof zero, BYTES, 0, NULL, NULL));
    OK(clFinish(q));
    launch(q, svm_kernel("publish", data, flag, NULL), 1, NULL);
    OK(clFlush(q));
    launch(r, svm_kernel("consume", data, flag, out), 1, NULL);
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
