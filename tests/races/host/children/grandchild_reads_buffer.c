// expect: data-race
// at: parent:2 write, __parent_block_invoke_2_kernel:5 read, different kernels
// reason: after those to fine-grained SVM only
// A grandchild that reads a buffer: no kernel waits for the one that enqueues it.
#include "../host.h"

static const char *const source =
    "kernel void parent(global int *a, global int *b) {\n"
    "a[get_global_id(0)] = 1;\n"
    "if (get_global_id(0) == 0)\n"
    "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{\n"
    "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), ^{ b[get_global_id(0)] = "
    "a[0]; }); }); }\n";

int main(void)
{
    begin_with(source, NULL);
    device_queue();
    cl_command_queue q = in_order();
    launch_groups(q, kernel("parent", buffer(), buffer(), NULL), 4, 4);
    OK(clFinish(q));
    return 0;
}
