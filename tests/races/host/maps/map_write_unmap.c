// expect: clean
// Map, write, unmap, launch in one in-order queue.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order();
    cl_mem a = buffer();
    cl_int code;
    int *p = clEnqueueMapBuffer(q, a, CL_TRUE, CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &code);
    OK(code);
    p[0] = 1;
    OK(clEnqueueUnmapMemObject(q, a, p, 0, NULL, NULL));
    launch(q, kernel("add", a, NULL, NULL), N, NULL);
    OK(clFinish(q));
    return 0;
}
