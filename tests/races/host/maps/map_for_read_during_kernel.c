// expect: data-race
// at: add:1 write, 15 read, command and work-item
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// A map for reading while a kernel of another queue writes.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem a = buffer();
    cl_int code;
    launch(q, kernel("add", a, NULL, NULL), N, NULL);
    OK(clFlush(q));
    int *p = clEnqueueMapBuffer(r, a, CL_TRUE, CL_MAP_READ, 0, BYTES, 0, NULL, NULL, &code);
    OK(code);
    int sum = p[0];
    OK(clEnqueueUnmapMemObject(r, a, p, 0, NULL, NULL));
    OK(clFinish(r));
    OK(clFinish(q));
    printf("%d\n", sum);
    return 0;
}
