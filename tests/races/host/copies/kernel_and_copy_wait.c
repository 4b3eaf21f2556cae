// expect: clean
// The copy waits for the kernel.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_mem a = buffer();
    cl_event first = launch(q, kernel("add", a, NULL, NULL), N, NULL);
    OK(clEnqueueCopyBuffer(q, a, buffer(), 0, 0, BYTES, 1, &first, NULL));
    OK(clFinish(q));
    return 0;
}
