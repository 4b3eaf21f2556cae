// expect: clean
// build: host-cc
// Trylocks, spin locks and timed locks, pthread_once, and a thread that ends by pthread_exit.
#include "../host.h"
#include <pthread.h>
#include <sched.h>
#include <time.h>

static pthread_mutex_t tried = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spun;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int *memory;

static void set(void)
{
    memory[0] = 7;
}

static void *work(void *context)
{
    const struct timespec late = {.tv_sec = time(NULL) + 1000};
    pthread_once(&once, set);
    while (pthread_mutex_trylock(&tried))
        sched_yield();
    memory[1] += memory[0];
    pthread_mutex_unlock(&tried);
    if (pthread_mutex_timedlock(&tried, &late) == 0) {
        memory[1] += 1;
        pthread_mutex_unlock(&tried);
    }
    pthread_spin_lock(&spun);
    memory[2] += 1;
    pthread_spin_unlock(&spun);
    *(int *)context = 1;
    pthread_exit(NULL);
}

int main(void)
{
    pthread_t threads[3];
    begin(NULL);
    cl_command_queue q = in_order();
    memory = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    memset(memory, 0, BYTES);
    pthread_spin_init(&spun, PTHREAD_PROCESS_PRIVATE);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, &memory[10 + i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    launch(q, svm_kernel("add", memory, NULL, NULL), N, NULL);
    OK(clFinish(q));
    return 0;
}
