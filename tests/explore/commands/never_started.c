// run: clean
// explore: unknown
// limit: a command had not completed when the program ended
// The second launch waits for a user event whose status is never set.
#include "../../races/host/host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order(), waiting = in_order();
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    launch(q, k, N, NULL);
    OK(clFinish(q));
    cl_int error;
    cl_event never = clCreateUserEvent(context, &error);
    OK(error);
    launch(waiting, k, N, never);
    OK(clFlush(waiting));
    return 0;
}
