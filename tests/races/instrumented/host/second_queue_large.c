// As second_queue.c, with more memory than is kept for re-execution.
#include "../../host/host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order();
    cl_int code;
    cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE, 48 << 20, NULL, &code);
    OK(code);
    launch(q, kernel("add", a, NULL, NULL), N, NULL);
    launch(q, kernel("add", a, NULL, NULL), N, NULL);
    look_until_done(q);
    cl_command_queue r = in_order();
    launch(r, kernel("add", a, NULL, NULL), N, NULL);
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
