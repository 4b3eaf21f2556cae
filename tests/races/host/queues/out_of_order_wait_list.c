// expect: clean
// The second kernel waits for the first one's event [CL 3.3.6 H2].
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_mem a = buffer();
    cl_kernel k = kernel("add", a, NULL, NULL);
    launch(q, k, N, launch(q, k, N, NULL));
    OK(clFinish(q));
    return 0;
}
