// expect: clean
// One kernel fills a ring buffer in fine-grained SVM while another one reads it.
#include "../host.h"

static const char *const source =
    "#define LOAD(p) atomic_load_explicit(p, memory_order_acquire, memory_scope_device)\n"
    "#define STORE(p, v) atomic_store_explicit(p, v, memory_order_release, memory_scope_device)\n"
    "kernel void fill(global int *ring, global atomic_int *ends) {\n"
    "  for (int i = 0; i < 3000; i++) {\n"
    "    while (i - LOAD(&ends[1]) >= 4);\n"
    "    ring[i % 4] = i; STORE(&ends[0], i + 1); } }\n"
    "kernel void drain(global int *ring, global atomic_int *ends, global int *out) {\n"
    "  for (int i = 0; i < 3000; i++) {\n"
    "    while (LOAD(&ends[0]) <= i);\n"
    "    out[i % 4] = ring[i % 4]; STORE(&ends[1], i + 1); } }\n";

int main(void)
{
    begin_with(source, NULL);
    cl_command_queue q = out_of_order();
    int *ring = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER), *out = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    int *ends = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
    ends[0] = ends[1] = 0;
    launch(q, svm_kernel("fill", ring, ends, NULL), 1, NULL);
    launch(q, svm_kernel("drain", ring, ends, out), 1, NULL);
    OK(clFinish(q));
    return 0;
}
