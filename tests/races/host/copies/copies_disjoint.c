// expect: clean
// Two copies to different halves.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_mem a = buffer(), b = buffer();
    OK(clEnqueueCopyBuffer(q, a, b, 0, 0, BYTES / 2, 0, NULL, NULL));
    OK(clEnqueueCopyBuffer(q, a, b, 0, BYTES / 2, BYTES / 2, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
