// expect: data-race
// at: add:1 read, 18 write, command and work-item
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// An unmap and a kernel of another queue.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    int *p = shared(0);
    OK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_WRITE, p, BYTES, 0, NULL, NULL));
    memset(p, 0, BYTES);
    OK(clEnqueueSVMUnmap(q, p, 0, NULL, NULL));
    OK(clFinish(q));
    OK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_WRITE, p, BYTES, 0, NULL, NULL));
    launch(r, svm_kernel("add", p, NULL, NULL), N, NULL);
    OK(clEnqueueSVMUnmap(q, p, 0, NULL, NULL));
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
