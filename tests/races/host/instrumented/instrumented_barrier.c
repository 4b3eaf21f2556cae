// expect: clean
// build: host-cc
// Each thread fills its part, all meet at a barrier, each reads its neighbor's part; then the same again with
// new contents.
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
        pthread_barrier_wait(&all);
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
    cl_command_queue q = in_order();
    launch(q, svm_kernel("add", memory, NULL, NULL), N, NULL);
    OK(clFinish(q));
    return 0;
}
