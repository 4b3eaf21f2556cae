// expect: clean
// environment: REFCL_DEVICES=2
// Both devices read a buffer at the same time, which migrates it.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue first = queue_on(0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
                     second = queue_on(1, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_mem a = buffer();
    launch(second, kernel("add", a, NULL, NULL), N, NULL);
    OK(clFinish(second));
    launch(first, kernel("copy", a, buffer(), NULL), N, NULL);
    launch(first, kernel("copy", a, buffer(), NULL), N, NULL);
    launch(second, kernel("copy", a, buffer(), NULL), N, NULL);
    OK(clFinish(first));
    OK(clFinish(second));
    return 0;
}
