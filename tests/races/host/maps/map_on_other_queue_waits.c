// expect: clean
// The map through another queue waits for the kernel, and the next kernel for the unmap.
#include "../host.h"
int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem a = buffer();
    cl_int e;
    cl_event done = launch(q, kernel("add", a, NULL, NULL), N, NULL), unmapped;
    int *p = clEnqueueMapBuffer(r, a, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, BYTES, 1, &done, NULL, &e);
    OK(e);
    p[0]++;
    OK(clEnqueueUnmapMemObject(r, a, p, 0, NULL, &unmapped));
    launch(q, kernel("add", a, NULL, NULL), N, unmapped);
    OK(clFinish(q));
    return 0;
}
