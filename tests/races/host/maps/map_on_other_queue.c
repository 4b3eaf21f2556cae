// expect: data-race
// at: add:1 write, 15 read, command and work-item
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// The buffer is mapped for reading through another queue than the kernel's, without waiting for it.
#include "../host.h"
int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem a = buffer();
    cl_int e;
    launch(q, kernel("add", a, NULL, NULL), N, NULL);
    void *p = clEnqueueMapBuffer(r, a, CL_TRUE, CL_MAP_READ, 0, BYTES, 0, NULL, NULL, &e);
    OK(e);
    OK(clEnqueueUnmapMemObject(r, a, p, 0, NULL, NULL));
    OK(clFinish(r));
    OK(clFinish(q));
    return 0;
}
