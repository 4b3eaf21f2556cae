// expect: clean
// A command frees memory that the host has mapped and not unmapped.
#include "../host.h"
int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order();
    void *a = shared(0);
    OK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_WRITE, a, BYTES, 0, NULL, NULL));
    memset(a, 1, BYTES);
    OK(clEnqueueSVMFree(q, 1, &a, NULL, NULL, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
