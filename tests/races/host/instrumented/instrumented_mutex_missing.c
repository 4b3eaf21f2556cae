// expect: data-race
// at: 13 read, 13 write, host and host
// reason: no synchronization orders the two accesses
// build: host-cc
// Two host threads add to shared memory without a mutex.
#include "../host.h"
#include <pthread.h>

static void *add_some(void *memory)
{
    int *a = memory;
    for (int i = 0; i < 10; i++)
        a[0] += 1;
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
