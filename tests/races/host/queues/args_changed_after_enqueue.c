// expect: clean
// Arguments that are set after an enqueue are those of the next launch.
#include "../host.h"
int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem a = buffer(), b = buffer();
    cl_kernel k = kernel("add", a, NULL, NULL);
    launch(q, k, N, NULL);
    OK(clSetKernelArg(k, 0, sizeof b, &b));
    launch(r, k, N, NULL);
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
