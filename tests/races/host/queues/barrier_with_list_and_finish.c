// expect: clean
// A barrier with a wait list waits for the list only; clFinish waits for the earlier commands, too
// [CL 5.12, 5.15].
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order(), r = in_order();
    cl_mem a = buffer(), b = buffer();
    cl_event other = launch(r, kernel("add", b, NULL, NULL), N, NULL);
    launch(q, kernel("add", a, NULL, NULL), N, NULL);
    OK(clEnqueueBarrierWithWaitList(q, 1, &other, NULL));
    OK(clFinish(q));
    launch(r, kernel("add", a, NULL, NULL), N, NULL);
    OK(clFinish(r));
    return 0;
}
