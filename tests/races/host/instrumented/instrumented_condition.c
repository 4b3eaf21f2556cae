// expect: clean
// build: host-cc
// A thread fills shared memory and signals under a mutex; the other waits on a condition variable, which
// releases and reacquires the mutex.
#include "../host.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting, filled;

static void *fill(void *memory)
{
    int *a = memory;
    pthread_mutex_lock(&lock);
    while (!waiting)
        pthread_cond_wait(&changed, &lock);
    for (int i = 0; i < N; i++)
        a[i] = i;
    filled = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    begin(NULL);
    cl_command_queue q = in_order();
    int *a = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    pthread_create(&thread, NULL, fill, a);
    pthread_mutex_lock(&lock);
    waiting = 1;
    pthread_cond_signal(&changed);
    while (!filled)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    a[0] += 1;
    launch(q, svm_kernel("add", a, NULL, NULL), N, NULL);
    OK(clFinish(q));
    pthread_join(thread, NULL);
    return 0;
}
