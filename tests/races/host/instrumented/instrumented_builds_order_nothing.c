// expect: data-race
// at: 22 write, 27 write, host and host
// reason: no synchronization orders the two accesses
// build: host-cc
// environment: REFCL_CACHE_DIR=off
// Two threads build programs one after the other without synchronization: initialization and locks inside the
// runtime's libraries do not order the threads.
#include "../host.h"
#include <pthread.h>
#include <sched.h>

static int *a;
static volatile int built;

static void *build(void *second)
{
    const char *source = second ? "kernel void two() {}" : "kernel void one() {}";
    cl_int code;
    while (second && !built)
        sched_yield();
    if (!second)
        a[0] = 1;
    cl_program p = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    OK(code);
    OK(clBuildProgram(p, 1, devices, "-cl-std=CL3.0", NULL, NULL));
    if (second)
        a[0] = 2;
    built = 1;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    open_devices();
    a = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    pthread_create(&threads[0], NULL, build, NULL);
    pthread_create(&threads[1], NULL, build, a);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
