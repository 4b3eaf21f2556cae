// expect: clean
// Two reads into one host array through one in-order queue are ordered.
#include "../host.h"
int main(void)
{
    static int out[N];
    begin(NULL);
    cl_command_queue q = in_order();
    cl_mem a = buffer(), b = buffer();
    launch(q, kernel("add", a, NULL, NULL), N, NULL);
    OK(clEnqueueReadBuffer(q, a, CL_FALSE, 0, BYTES, out, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(q, b, CL_FALSE, 0, BYTES, out, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
