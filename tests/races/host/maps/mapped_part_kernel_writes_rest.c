// expect: mapped-access
// at: add:1
// A map of a part counts as a map of the whole object [CL 5.5.3 R3].
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem a = buffer();
    cl_int code;
    int *p = clEnqueueMapBuffer(q, a, CL_TRUE, CL_MAP_READ, 0, 16, 0, NULL, NULL, &code);
    OK(code);
    launch(r, kernel("add", a, NULL, NULL), N, NULL);
    OK(clFinish(r));
    OK(clEnqueueUnmapMemObject(q, a, p, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
