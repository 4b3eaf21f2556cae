// run: clean
// explore: none
// schedules: 2
// A callback and the main thread share an in-order queue: their commands are ordered in either schedule.
#include "../../races/host/host.h"

static cl_command_queue q;
static cl_kernel k;
static size_t n = N;
static void CL_CALLBACK complete(cl_event event, cl_int status, void *unused)
{
    (void)event;
    (void)status;
    (void)unused;
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    OK(clFlush(q));
}
int main(void)
{
    begin(NULL);
    q = in_order();
    k = kernel("add", buffer(), NULL, NULL);
    cl_event e;
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, &e));
    OK(clSetEventCallback(e, CL_COMPLETE, complete, NULL));
    OK(clFlush(q));
    sleep(1);
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    OK(clFinish(q));
    return 0;
}
