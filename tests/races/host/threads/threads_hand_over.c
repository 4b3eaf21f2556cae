// expect: clean
// One host thread waits for its kernel, then signals a condition variable; the other thread's kernel uses the
// same buffer.
#include "../host.h"
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool done;

static void *consume(void *k)
{
    cl_command_queue q = in_order();
    pthread_mutex_lock(&mutex);
    while (!done)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    launch(q, k, N, NULL);
    OK(clFinish(q));
    return NULL;
}

int main(void)
{
    pthread_t thread;
    begin(NULL);
    cl_command_queue q = in_order();
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    pthread_create(&thread, NULL, consume, k);
    launch(q, k, N, NULL);
    OK(clFinish(q));
    pthread_mutex_lock(&mutex);
    done = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
