// expect: data-race
// A copy reads what a kernel writes.
#include "host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_mem a = buffer();
    launch(q, kernel("add", a, NULL, NULL), N, NULL);
    OK(clEnqueueCopyBuffer(q, a, buffer(), 0, 0, BYTES, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
