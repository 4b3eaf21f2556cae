// expect: clean
// The first SVM allocation is mapped while the kernel writes the first buffer.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order();
    int *s = shared(0);
    cl_mem b = buffer();
    OK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_WRITE, s, BYTES, 0, NULL, NULL));
    launch(q, kernel("add", b, NULL, NULL), N, NULL);
    s[0] = 1;
    OK(clEnqueueSVMUnmap(q, s, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
