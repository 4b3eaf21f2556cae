// expect: clean
// In an in-order queue the two kernels are ordered.
#include "../host.h"

int main(void)
{
    begin("memory_scope_device");
    cl_command_queue q = in_order();
    cl_kernel k = kernel("count", buffer(), NULL, NULL);
    launch(q, k, N, NULL);
    launch(q, k, N, NULL);
    OK(clFinish(q));
    return 0;
}
