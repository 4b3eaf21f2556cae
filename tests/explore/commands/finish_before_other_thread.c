// run: clean
// explore: found
// other: yes
// at: 18, 32
// build: host-cc
// clFinish of one thread covers commands that the other one has enqueued before: here it sleeps for a second.
#include "../../races/host/host.h"
#include <pthread.h>

static cl_command_queue q;
static cl_kernel k;
static void *work(void *unused)
{
    (void)unused;
    OK(clFlush(q));
    cl_event e;
    size_t n = N;
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, &e));
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
    sleep(1);
    OK(clFinish(q));
    size_t n = N;
    OK(clEnqueueNDRangeKernel(r, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    OK(clFinish(r));
    pthread_join(t, NULL);
    return 0;
}
