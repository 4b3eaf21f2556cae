// expect: data-race
// at: drain:4 read, 25 write, host and work-item
// reason: is relaxed and follows no release fence
// build: host-cc
// The host fills a ring buffer in fine-grained SVM while a kernel reads it: items are published
// with relaxed order.
#include "../host.h"

static const char *const source =
    "kernel void drain(global int *ring, global atomic_int *tail, global int *out) {\n"
    "  for (int i = 0; i < 8; i++) {\n"
    "    while (atomic_load_explicit(tail, memory_order_acquire, SCOPE) <= i);\n"
    "    out[i] = ring[i]; } }\n";

int main(void)
{
    begin_with(source, "memory_scope_all_svm_devices");
    cl_command_queue q = in_order();
    int *ring = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER), *out = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    int *tail = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
    *tail = 0;
    launch(q, svm_kernel("drain", ring, tail, out), 1, NULL);
    OK(clFlush(q));
    for (int i = 0; i < 8; i++) {
        ring[i] = i * i;
        __atomic_store_n(tail, i + 1, __ATOMIC_RELAXED);
    }
    OK(clFinish(q));
    return 0;
}
