// expect: clean
// A migration of what a kernel reads, beside that kernel.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem a = buffer();
    OK(clFinish(q));
    launch(q, kernel("copy", a, buffer(), NULL), N, NULL);
    OK(clFlush(q));
    OK(clEnqueueMigrateMemObjects(r, 1, &a, 0, 0, NULL, NULL));
    OK(clFinish(r));
    OK(clFinish(q));
    return 0;
}
