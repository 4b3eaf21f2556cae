// expect: clean
// A command that waits for a user event with an error status is never executed, so it has no race [CL 5.11].
#include "../host.h"
int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order(), r = in_order();
    cl_mem a = buffer();
    cl_int code;
    cl_event gate = clCreateUserEvent(context, &code);
    OK(code);
    launch(q, kernel("add", a, NULL, NULL), N, gate);
    launch(r, kernel("add", a, NULL, NULL), N, NULL);
    OK(clSetUserEventStatus(gate, -1));
    OK(clFinish(r));
    OK(clFinish(q));
    return 0;
}
