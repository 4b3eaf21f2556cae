// expect: clean
// The user event is set after the first kernel is known to be complete [CL 3.3.6 H12].
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    cl_int code;
    cl_event gate = clCreateUserEvent(context, &code);
    OK(code);
    launch(r, k, N, gate);
    cl_event first = launch(q, k, N, NULL);
    OK(clWaitForEvents(1, &first));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFinish(r));
    return 0;
}
