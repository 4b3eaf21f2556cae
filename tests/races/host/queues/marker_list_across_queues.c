// expect: data-race
// at: add:1 read, add:1 write, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// A marker of the second queue waits for the first queue's event, but later commands of an out-of-order queue
// do not wait for the marker.
#include "../host.h"
int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = out_of_order();
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    cl_event e = launch(q, k, N, NULL);
    OK(clEnqueueMarkerWithWaitList(r, 1, &e, NULL));
    launch(r, k, N, NULL);
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
