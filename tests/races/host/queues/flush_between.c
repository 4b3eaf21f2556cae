// expect: data-race
// at: add:1 read, add:1 write, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// clFlush submits commands; it does not wait for them.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    launch(q, k, N, NULL);
    OK(clFlush(q));
    launch(q, k, N, NULL);
    OK(clFinish(q));
    return 0;
}
