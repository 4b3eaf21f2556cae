// expect: clean
// A blocking write is complete when it returns.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_mem a = buffer();
    static int from[N], to[N];
    OK(clEnqueueWriteBuffer(q, a, CL_TRUE, 0, BYTES, from, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(q, a, CL_TRUE, 0, BYTES, to, 0, NULL, NULL));
    return 0;
}
