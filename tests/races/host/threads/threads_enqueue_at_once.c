// expect: data-race
// at: add:1 read, add:1 write, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// Host threads launch kernels that use one buffer on separate queues; both enqueue before either of them
// waits.
#include "../host.h"
#include <pthread.h>

static pthread_barrier_t enqueued;

static void *work(void *k)
{
    cl_command_queue q = in_order();
    launch(q, k, N, NULL);
    pthread_barrier_wait(&enqueued);
    OK(clFinish(q));
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    begin(NULL);
    cl_mem a = buffer();
    pthread_barrier_init(&enqueued, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, kernel("add", a, NULL, NULL));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
