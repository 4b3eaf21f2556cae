// expect: clean
// build: host-cc
// Two callbacks count in separate elements, which the host has cleared before.
#include "../host.h"

#include <stdatomic.h>

static atomic_int done;

static void CL_CALLBACK count(cl_event event, cl_int status, void *place)
{
    (void)event;
    (void)status;
    ++*(volatile int *)place;
    atomic_fetch_add_explicit(&done, 1, memory_order_relaxed);
}

int main(void)
{
    begin(NULL);
    cl_command_queue q = in_order();
    int *n = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    n[0] = n[1] = 0;
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    OK(clSetEventCallback(launch(q, k, N, NULL), CL_COMPLETE, count, n++));
    OK(clSetEventCallback(launch(q, k, N, NULL), CL_COMPLETE, count, n++));
    OK(clFinish(q));
    while (atomic_load_explicit(&done, memory_order_relaxed) < 2)
        ;
    return 0;
}
