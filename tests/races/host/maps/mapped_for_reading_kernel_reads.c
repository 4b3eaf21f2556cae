// expect: clean
// A kernel may read a buffer that the host has mapped for reading.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem a = buffer(), b = buffer();
    cl_int code;
    int *p = clEnqueueMapBuffer(q, a, CL_TRUE, CL_MAP_READ, 0, BYTES, 0, NULL, NULL, &code);
    OK(code);
    launch(r, kernel("copy", a, b, NULL), N, NULL);
    OK(clFinish(r));
    OK(clEnqueueUnmapMemObject(q, a, p, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
