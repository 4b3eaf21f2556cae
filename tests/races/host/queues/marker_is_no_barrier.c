// expect: data-race
// at: add:1 read, add:1 write, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// Commands after a marker do not wait for it [CL 3.3.6 H6].
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    launch(q, k, N, NULL);
    OK(clEnqueueMarkerWithWaitList(q, 0, NULL, NULL));
    launch(q, k, N, NULL);
    OK(clFinish(q));
    return 0;
}
