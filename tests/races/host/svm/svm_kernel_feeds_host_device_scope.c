// expect: data-race
// at: fill:3 write, 27 read, host and work-item
// at: scope-race fill:4 atomic-write, 25 atomic-read, host and work-item
// reason: on this memory it includes only one kernel and its children
// build: host-cc
// A kernel fills a ring buffer in fine-grained SVM, but publishes at device scope only.
#include "../host.h"

static const char *const source =
    "kernel void fill(global int *ring, global atomic_int *tail) {\n"
    "  for (int i = 0; i < 8; i++) {\n"
    "    ring[i] = i * i;\n"
    "    atomic_store_explicit(tail, i + 1, memory_order_release, SCOPE); } }\n";

int main(void)
{
    begin_with(source, "memory_scope_device");
    cl_command_queue q = in_order();
    int *ring = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER), sum = 0;
    int *tail = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
    *tail = 0;
    launch(q, svm_kernel("fill", ring, tail, NULL), 1, NULL);
    OK(clFlush(q));
    for (int i = 0; i < 8; i++) {
        while (__atomic_load_n(tail, __ATOMIC_ACQUIRE) <= i)
            ;
        sum += ring[i];
    }
    OK(clFinish(q));
    return sum != 140;
}
