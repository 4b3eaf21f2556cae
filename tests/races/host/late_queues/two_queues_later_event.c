// expect: clean
// The event of a later command of an in-order queue covers the earlier ones.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    launch(q, k, N, NULL);
    cl_event later = launch(q, kernel("add", buffer(), NULL, NULL), N, NULL);
    OK(clFlush(q));
    launch(r, k, N, later);
    OK(clFinish(r));
    return 0;
}
