// expect: data-race
// at: add:1 read, 16 write, command and work-item
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// The kernel does not wait for the unmap command.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
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
