// expect: data-race
// at: add:1 read, 13 write, host and work-item; add:1 write, 13 write, host and work-item
// reason: the host neither waits for it nor enqueues it afterwards
// build: host-cc
// A thread fills the memory while the kernel uses it.
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
    launch(q, svm_kernel("add", a, NULL, NULL), N, NULL);
    OK(clFinish(q));
    pthread_join(thread, NULL);
    return 0;
}
