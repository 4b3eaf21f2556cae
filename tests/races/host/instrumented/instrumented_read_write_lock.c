// expect: clean
// build: host-cc
// Writers and readers of shared memory under a read-write lock.
#include "../host.h"
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int *memory, sums[4];

static void *work(void *number)
{
    int me = (int)((int *)number - sums);
    for (int round = 0; round < 5; round++) {
        if (me == 0) {
            pthread_rwlock_wrlock(&lock);
            memory[0] += 1;
            pthread_rwlock_unlock(&lock);
        } else {
            pthread_rwlock_rdlock(&lock);
            sums[me] += memory[0];
            pthread_rwlock_unlock(&lock);
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[4];
    begin(NULL);
    memory = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    memory[0] = 0;
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, &sums[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
