// run: clean
// explore: unknown
// limit: the order of host threads at locks and the like is the recorded one
// build: host-cc
// The join orders the other thread's command before clFinish; a join is recorded like a lock.
#include "../../races/host/host.h"
#include <pthread.h>

static cl_command_queue q;
static cl_kernel k;
static size_t n = N;
static void *work(void *unused)
{
    (void)unused;
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    return NULL;
}
int main(void)
{
    pthread_t t;
    begin(NULL);
    q = in_order();
    cl_command_queue r = in_order();
    k = kernel("add", buffer(), NULL, NULL);
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    OK(clFinish(q));
    OK(clEnqueueNDRangeKernel(r, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    OK(clFinish(r));
    return 0;
}
