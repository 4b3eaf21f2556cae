// expect: clean
// Memory mapped for reading is the source of a write to another buffer.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem a = buffer(), b = buffer();
    cl_int code;
    int *p = clEnqueueMapBuffer(q, a, CL_TRUE, CL_MAP_READ, 0, BYTES, 0, NULL, NULL, &code);
    OK(code);
    OK(clEnqueueWriteBuffer(r, b, CL_TRUE, 0, BYTES, p, 0, NULL, NULL));
    OK(clFinish(r));
    OK(clEnqueueUnmapMemObject(q, a, p, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
