// expect: clean
// build: host-cc
// Threads pass shared memory on by an atomic of the host program, with release and acquire.
#include "../host.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int filled;

static void *fill(void *memory)
{
    int *a = memory;
    for (int i = 0; i < N; i++)
        a[i] = i;
    atomic_store_explicit(&filled, 1, memory_order_release);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    begin(NULL);
    cl_command_queue q = in_order();
    int *a = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    pthread_create(&thread, NULL, fill, a);
    while (!atomic_load_explicit(&filled, memory_order_acquire))
        sched_yield();
    a[0] += 1;
    launch(q, svm_kernel("add", a, NULL, NULL), N, NULL);
    OK(clFinish(q));
    pthread_join(thread, NULL);
    return 0;
}
