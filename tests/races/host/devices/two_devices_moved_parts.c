// expect: clean
// environment: REFCL_DEVICES=2
// Two commands of the second device change parts of a buffer, which the first of them migrates there.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue first = queue_on(0, 0), second = queue_on(1, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_mem a = buffer();
    int zero = 0;
    launch(first, kernel("add", a, NULL, NULL), N, NULL);
    OK(clFinish(first));
    OK(clEnqueueFillBuffer(second, a, &zero, sizeof zero, 0, BYTES / 2, 0, NULL, NULL));
    OK(clEnqueueFillBuffer(second, a, &zero, sizeof zero, BYTES / 2, BYTES / 2, 0, NULL, NULL));
    OK(clFinish(second));
    return 0;
}
