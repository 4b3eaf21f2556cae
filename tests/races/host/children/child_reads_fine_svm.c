// expect: clean
// A child is ordered after the writes to fine-grained SVM that precede the call that enqueues it
// [CL 3.3.6 H1].
#include "../host.h"

static const char *const source =
    "kernel void parent(global int *a, global int *b) {\n"
    "if (get_global_id(0) == 0) a[0] = 1;\n"
    "if (get_global_id(0) == 0)\n"
    "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4),\n"
    "^{ b[get_global_id(0)] = a[0]; });\n"
    "}\n";

int main(void)
{
    begin_with(source, NULL);
    device_queue();
    cl_command_queue q = in_order();
    int *a = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER), *b = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    launch_groups(q, svm_kernel("parent", a, b, NULL), 4, 4);
    OK(clFinish(q));
    return 0;
}
