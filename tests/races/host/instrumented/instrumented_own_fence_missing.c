// expect: data-race
// at: 17 write, 34 read, host and host
// reason: no synchronization orders the two accesses
// build: host-cc
// As instrumented_own_fences.c without the acquire fence.
#include "../host.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int filled;
static int *memory;

static void *fill(void *half)
{
    for (int i = 0; i < N / 2; i++)
        memory[(half != NULL) * N / 2 + i] = i;
    atomic_thread_fence(memory_order_release);
    atomic_fetch_add_explicit(&filled, 1, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    begin(NULL);
    cl_command_queue q = in_order();
    memory = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, fill, i ? &threads : NULL);
    while (atomic_load_explicit(&filled, memory_order_relaxed) < 2)
        sched_yield();
    for (int i = 0; i < N; i++)
        memory[i] += 1;
    launch(q, svm_kernel("add", memory, NULL, NULL), N, NULL);
    OK(clFinish(q));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
