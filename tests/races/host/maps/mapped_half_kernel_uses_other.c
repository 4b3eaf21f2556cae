// expect: clean
// Two halves of a buffer, one mapped, one used by a kernel.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem a = buffer(), low = part(a, 0, BYTES / 2), high = part(a, BYTES / 2, BYTES / 2);
    cl_int code;
    int *p = clEnqueueMapBuffer(q, low, CL_TRUE, CL_MAP_WRITE, 0, BYTES / 2, 0, NULL, NULL, &code);
    OK(code);
    launch(r, kernel("add", high, NULL, NULL), N / 2, NULL);
    p[0] = 1;
    OK(clFinish(r));
    OK(clEnqueueUnmapMemObject(q, low, p, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
