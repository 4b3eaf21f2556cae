// expect: mapped-access
// at: copy:2
// A kernel reads a buffer that the host has mapped for writing, ordered after the map and before the unmap
// [CL 5.5.3 R2].
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem a = buffer(), b = buffer();
    cl_int code;
    int *p = clEnqueueMapBuffer(q, a, CL_TRUE, CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &code);
    OK(code);
    launch(r, kernel("copy", a, b, NULL), N, NULL);
    OK(clFinish(r));
    OK(clEnqueueUnmapMemObject(q, a, p, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
