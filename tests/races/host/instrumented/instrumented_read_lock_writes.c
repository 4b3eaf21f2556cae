// expect: data-race
// at: 16 read, 16 write, host and host
// reason: no synchronization orders the two accesses
// build: host-cc
// Two threads write while both hold a read lock.
#include "../host.h"
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int *memory, sums[4];

static void *work(void *number)
{
    (void)number;
    pthread_rwlock_rdlock(&lock);
    memory[0] += 1;
    pthread_rwlock_unlock(&lock);
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
