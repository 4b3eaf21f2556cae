// expect: clean
// build: host-cc
// A ring buffer of four slots between two threads: one semaphore counts free slots, the other filled ones.
#include "../host.h"
#include <pthread.h>
#include <semaphore.h>

static sem_t unused, filled;
static int *ring;

static void *produce(void *context)
{
    (void)context;
    for (int i = 0; i < 20; i++) {
        sem_wait(&unused);
        ring[i % 4] = i;
        sem_post(&filled);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int sum = 0;
    begin(NULL);
    ring = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    sem_init(&unused, 0, 4);
    sem_init(&filled, 0, 0);
    pthread_create(&thread, NULL, produce, NULL);
    for (int i = 0; i < 20; i++) {
        sem_wait(&filled);
        sum += ring[i % 4];
        sem_post(&unused);
    }
    pthread_join(thread, NULL);
    return sum != 190;
}
