// run: clean
// explore: found
// other: yes
// at: 18, 34
// build: host-cc
// clFinish covers commands that a callback has enqueued before: here the host sleeps for a second.
#include "../../races/host/host.h"

static cl_command_queue q;
static cl_kernel k;
static size_t n = N;
static void CL_CALLBACK complete(cl_event event, cl_int status, void *unused)
{
    (void)event;
    (void)status;
    (void)unused;
    /* nothing waits for the callback */
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    OK(clFlush(q));
}
int main(void)
{
    begin(NULL);
    q = in_order();
    cl_command_queue r = in_order();
    cl_kernel first = kernel("add", buffer(), NULL, NULL);
    k = kernel("add", buffer(), NULL, NULL);
    cl_event e;
    OK(clEnqueueNDRangeKernel(q, first, 1, NULL, &n, NULL, 0, NULL, &e));
    OK(clSetEventCallback(e, CL_COMPLETE, complete, NULL));
    OK(clFlush(q));
    sleep(1);
    OK(clFinish(q));
    OK(clEnqueueNDRangeKernel(r, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    OK(clFinish(r));
    return 0;
}
