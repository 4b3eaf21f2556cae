// expect: clean
// The marker's event completes after all commands before the marker.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    cl_event marker;
    launch(q, k, N, NULL);
    OK(clEnqueueMarkerWithWaitList(q, 0, NULL, &marker));
    launch(q, k, N, marker);
    OK(clFinish(q));
    return 0;
}
