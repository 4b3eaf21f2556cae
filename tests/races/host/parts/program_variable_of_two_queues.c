// expect: data-race
// at: next:2 read, next:2 write, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// Kernels of two queues count in a program-scope variable.
#include "../host.h"
int main(void)
{
    begin_with("global int n;\nkernel void next(global int *a) { a[0] = n++; }\n", NULL);
    cl_command_queue q = in_order(), r = in_order();
    launch(q, kernel("next", buffer(), NULL, NULL), 1, NULL);
    launch(r, kernel("next", buffer(), NULL, NULL), 1, NULL);
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
