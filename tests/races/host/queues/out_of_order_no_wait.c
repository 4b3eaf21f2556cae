// expect: data-race
// at: add:1 read, add:1 write, different kernels
// reason: no event, wait list
// Nothing orders two kernels of an out-of-order queue.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_mem a = buffer();
    cl_kernel k = kernel("add", a, NULL, NULL);
    launch(q, k, N, NULL);
    launch(q, k, N, NULL);
    OK(clFinish(q));
    return 0;
}
