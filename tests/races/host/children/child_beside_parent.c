// expect: data-race
// at: __parent_block_invoke_kernel:6 read, parent:7 write, different kernels
// reason: after those to fine-grained SVM only
// A child that does not wait runs concurrently with what its parent does after the enqueue [CL 3.3.6 H13].
#include "../host.h"

static const char *const source =
    "kernel void parent(global int *a, global int *b) {\n"
    "int i = (int)get_global_id(0);\n"
    "\n"
    "if (get_local_id(0) == 0)\n"
    "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4),\n"
    "^{ int k = (int)get_global_id(0); b[k] = a[k]; });\n"
    "a[i] = i; }\n";

int main(void)
{
    begin_with(source, NULL);
    device_queue();
    cl_command_queue q = in_order();
    launch_groups(q, kernel("parent", buffer(), buffer(), NULL), 4, 4);
    OK(clFinish(q));
    return 0;
}
