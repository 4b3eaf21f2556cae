// expect: clean
// An event orders commands of different queues.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    cl_event first = launch(q, k, N, NULL);
    OK(clFlush(q));
    launch(r, k, N, first);
    OK(clFinish(r));
    return 0;
}
