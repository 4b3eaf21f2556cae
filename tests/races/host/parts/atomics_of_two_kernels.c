// expect: scope-race
// at: count:9 atomic-rmw, count:9 atomic-rmw, different kernels
// reason: on this memory it includes only one kernel and its children
// On a buffer, device scope is the scope of one kernel and its children [CL 3.3.5 O14].
#include "../host.h"

int main(void)
{
    begin("memory_scope_device");
    cl_command_queue q = out_of_order();
    cl_kernel k = kernel("count", buffer(), NULL, NULL);
    launch(q, k, N, NULL);
    launch(q, k, N, NULL);
    OK(clFinish(q));
    return 0;
}
