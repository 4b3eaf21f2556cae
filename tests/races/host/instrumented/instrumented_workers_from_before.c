// expect: clean
// build: host-cc
// A worker thread that is created before the first OpenCL call, and joined at the end.
#include "../host.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int *memory;

static void *work(void *context)
{
    (void)context;
    pthread_mutex_lock(&lock);
    while (!memory)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    memory[0] += 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    begin(NULL);
    cl_command_queue q = in_order();
    int *a = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    memset(a, 0, BYTES);
    pthread_mutex_lock(&lock);
    memory = a;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    a[0] += 1;
    launch(q, svm_kernel("add", a, NULL, NULL), N, NULL);
    OK(clFinish(q));
    return 0;
}
