// expect: clean
// The same bytes are mapped for reading twice, and unmapped twice.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order();
    cl_mem a = buffer();
    cl_int code;
    void *p = clEnqueueMapBuffer(q, a, CL_TRUE, CL_MAP_READ, 0, BYTES, 0, NULL, NULL, &code);
    OK(code);
    clEnqueueMapBuffer(q, a, CL_TRUE, CL_MAP_READ, 0, BYTES, 0, NULL, NULL, &code);
    OK(code);
    OK(clEnqueueUnmapMemObject(q, a, p, 0, NULL, NULL));
    OK(clEnqueueUnmapMemObject(q, a, p, 0, NULL, NULL));
    launch(q, kernel("add", a, NULL, NULL), N, NULL);
    OK(clFinish(q));
    return 0;
}
