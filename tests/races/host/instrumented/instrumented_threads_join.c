// expect: clean
// build: host-cc
// A thread fills the memory and is joined before the kernel is enqueued.
#include "../host.h"
#include <pthread.h>

static void *fill(void *memory)
{
    int *a = memory;
    for (int i = 0; i < N; i++)
        a[i] = i;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    begin(NULL);
    cl_command_queue q = in_order();
    int *a = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    pthread_create(&thread, NULL, fill, a);
    pthread_join(thread, NULL);
    launch(q, svm_kernel("add", a, NULL, NULL), N, NULL);
    OK(clFinish(q));
    return 0;
}
