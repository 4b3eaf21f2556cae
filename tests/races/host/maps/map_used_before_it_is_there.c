// expect: host-access
// environment: REFCL_RUN_CHECK=api
// A non-blocking map: the host writes before its event is complete.
#include "../host.h"
int main(void)
{
    begin(NULL);
    need_keys();
    cl_command_queue q = in_order();
    int *a = shared(0);
    cl_int code;
    cl_event gate = clCreateUserEvent(context, &code);
    OK(clEnqueueSVMMap(q, CL_FALSE, CL_MAP_WRITE, a, BYTES, 1, &gate, NULL));
    a[0] = 1;
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clEnqueueSVMUnmap(q, a, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
