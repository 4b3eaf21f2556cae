// expect: data-race
// at: add:1 read, add:1 write, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// A sub-buffer and the buffer that it is part of.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_mem a = buffer();
    launch(q, kernel("add", a, NULL, NULL), N, NULL);
    launch(q, kernel("add", part(a, BYTES / 2, BYTES / 2), NULL, NULL), N / 2, NULL);
    /* [CL 5.2.1 R11] */
    OK(clFinish(q));
    return 0;
}
