// expect: clean
// clFinish waits for all commands of the queue [CL 3.3.6 H8].
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    launch(q, k, N, NULL);
    OK(clFinish(q));
    launch(q, k, N, NULL);
    OK(clFinish(q));
    return 0;
}
