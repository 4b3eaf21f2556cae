// expect: data-race
// at: 13 write, 14 write, command and command
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// In an out-of-order queue the unmap does not wait for the map.
// environment: REFCL_QUEUE_SEED=3
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    int *s = shared(0);
    OK(clEnqueueSVMMap(q, CL_FALSE, CL_MAP_WRITE, s, BYTES, 0, NULL, NULL));
    OK(clEnqueueSVMUnmap(q, s, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
