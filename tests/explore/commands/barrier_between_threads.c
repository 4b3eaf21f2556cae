// run: clean
// explore: found
// other: yes
// at: 17, 34
// build: host-cc
// A barrier of one thread does not order what the other one enqueues later, here after a sleep.
#include "../../races/host/host.h"
#include <pthread.h>

static cl_command_queue q;
static cl_kernel k;
static size_t n = N;
static void *work(void *unused)
{
    (void)unused;
    sleep(1);
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    return NULL;
}

static void enqueue(void)
{
    OK(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL));
}
int main(void)
{
    pthread_t t;
    begin(NULL);
    q = out_of_order();
    k = kernel("add", buffer(), NULL, NULL);
    cl_kernel other = kernel("add", buffer(), NULL, NULL);
    pthread_create(&t, NULL, work, NULL);
    OK(clEnqueueNDRangeKernel(q, other, 1, NULL, &n, NULL, 0, NULL, NULL));
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    enqueue();
    pthread_join(t, NULL);
    OK(clFinish(q));
    return 0;
}
