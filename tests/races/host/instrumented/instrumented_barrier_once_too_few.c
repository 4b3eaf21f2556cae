// expect: data-race
// at: 18 write, 21 read, host and host
// reason: no synchronization orders the two accesses
// build: host-cc
// The parts are overwritten while the neighbor may still read them.
#include "../host.h"
#include <pthread.h>

enum { THREADS = 4 };
static pthread_barrier_t all;
static int *memory, sums[THREADS];

static void *work(void *number)
{
    int me = (int)((int *)number - sums);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 4; i++)
            memory[me * 4 + i] = round + i;
        pthread_barrier_wait(&all);
        for (int i = 0; i < 4; i++)
            sums[me] += memory[(me + 1) % THREADS * 4 + i];
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    begin(NULL);
    memory = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    pthread_barrier_init(&all, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, &sums[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    launch(in_order(), svm_kernel("add", memory, NULL, NULL), N, NULL);
    return 0;
}
