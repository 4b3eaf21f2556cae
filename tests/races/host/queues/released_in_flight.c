// expect: clean
// A buffer, kernel and queue that are released while their commands are in flight live until these complete.
#include "../host.h"
int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem a = buffer();
    cl_kernel k = kernel("add", a, NULL, NULL);
    cl_event e = launch(q, k, N, NULL);
    launch(r, k, N, e);
    OK(clReleaseEvent(e));
    OK(clReleaseKernel(k));
    OK(clReleaseMemObject(a));
    OK(clReleaseCommandQueue(q));
    OK(clFinish(r));
    return 0;
}
