// expect: clean
// build: host-cc
// Two host threads add under a mutex, then the kernel runs.
#include "../host.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add_some(void *memory)
{
    int *a = memory;
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&lock);
        a[0] += 1;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    begin(NULL);
    cl_command_queue q = in_order();
    int *a = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    a[0] = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add_some, a);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    launch(q, svm_kernel("add", a, NULL, NULL), N, NULL);
    OK(clFinish(q));
    return 0;
}
