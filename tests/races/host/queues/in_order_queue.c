// expect: clean
// Commands of an in-order queue are ordered [CL 3.3.6 H5].
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order();
    cl_mem a = buffer(), b = buffer();
    int host[N];
    launch(q, kernel("add", a, NULL, NULL), N, NULL);
    OK(clEnqueueCopyBuffer(q, a, b, 0, 0, BYTES, 0, NULL, NULL));
    launch(q, kernel("add", b, NULL, NULL), N, NULL);
    OK(clEnqueueReadBuffer(q, b, CL_TRUE, 0, BYTES, host, 0, NULL, NULL));
    return 0;
}
