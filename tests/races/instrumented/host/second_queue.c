// A queue that is created and used before the host has waited for the first one.
#include "../../host/host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order();
    cl_mem a = buffer();
    launch(q, kernel("add", a, NULL, NULL), N, NULL);
    look_until_done(q);
    cl_command_queue r = in_order();
    launch(r, kernel("add", a, NULL, NULL), N, NULL);
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
