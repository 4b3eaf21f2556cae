// expect: data-race
// at: add:1 read, add:1 write, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// Sub-buffers of 128 and 192 bytes that overlap by half, written through two queues.
#include "../host.h"
int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_int e;
    cl_mem whole = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &e);
    OK(e);
    int zero = 0;
    OK(clEnqueueFillBuffer(q, whole, &zero, 4, 0, 4096, 0, NULL, NULL));
    OK(clFinish(q));
    launch(q, kernel("add", part(whole, 0, 2048), NULL, NULL), 512, NULL);
    launch(r, kernel("add", part(whole, 1024, 2048), NULL, NULL), 512, NULL);
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
