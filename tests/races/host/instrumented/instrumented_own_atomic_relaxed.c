// expect: data-race
// at: 17 write, 31 read, host and host; add:1 read, 17 write, host and work-item
// reason: no synchronization orders the two accesses
// build: host-cc
// As instrumented_own_atomic.c with a relaxed load, which orders nothing.
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
    atomic_store_explicit(&filled, 1, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    begin(NULL);
    cl_command_queue q = in_order();
    int *a = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    pthread_create(&thread, NULL, fill, a);
    while (!atomic_load_explicit(&filled, memory_order_relaxed))
        sched_yield();
    a[0] += 1;
    launch(q, svm_kernel("add", a, NULL, NULL), N, NULL);
    OK(clFinish(q));
    pthread_join(thread, NULL);
    return 0;
}
