// expect: data-race
// at: add:1 read, add:1 write, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// A second host thread uses its own queue before any thread has waited for the first queue's kernel.
#include "late_queue.h"
#include <pthread.h>
static void *work(void *k)
{
    cl_command_queue r = in_order();
    launch(r, k, N, NULL);
    OK(clFinish(r));
    return NULL;
}
int main(void)
{
    pthread_t t;
    begin_with(loops, NULL);
    cl_command_queue q = in_order();
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    launch(q, k, N, NULL);
    look_until_done(q);
    pthread_create(&t, NULL, work, k);
    pthread_join(t, NULL);
    OK(clFinish(q));
    return 0;
}
