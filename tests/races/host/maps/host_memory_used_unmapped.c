// expect: clean
// build: host-cc
// Host memory of a buffer (CL_MEM_USE_HOST_PTR) is used between a map and an unmap.
#include "../host.h"
int main(void)
{
    static int own[N] __attribute__((aligned(4096)));
    cl_int code;
    begin(NULL);
    cl_command_queue q = in_order();
    cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, BYTES, own, &code);
    OK(code);
    launch(q, kernel("add", a, NULL, NULL), N, NULL);
    int *p = clEnqueueMapBuffer(q, a, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &code);
    OK(code);
    p[0] += own[1];
    OK(clEnqueueUnmapMemObject(q, a, p, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
