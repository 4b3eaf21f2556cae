// run: clean
// explore: none
// commands: 2
// The last two commands are ordered through the first one, which waits for a user event that the host sets.
#include "../../races/host/host.h"
int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order(), s = in_order();
    cl_mem a = buffer();
    cl_kernel one = kernel("add", a, NULL, NULL), two = kernel("add", a, NULL, NULL);
    cl_event gate = clCreateUserEvent(context, NULL), between, first;
    size_t n = N;
    OK(clEnqueueNDRangeKernel(q, kernel("add", buffer(), NULL, NULL), 1, NULL, &n, NULL, 1, &gate, &between));
    OK(clEnqueueNDRangeKernel(r, one, 1, NULL, &n, NULL, 0, NULL, &first));
    OK(clEnqueueNDRangeKernel(s, two, 1, NULL, &n, NULL, 1, &between, NULL));
    OK(clWaitForEvents(1, &first));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFinish(q));
    OK(clFinish(r));
    OK(clFinish(s));
    return 0;
}
