// expect: data-race
// at: __parent_block_invoke_kernel:2 write, __parent_block_invoke_kernel:2 write, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// Two children of one parent write the same memory: nothing orders them.
#include "../host.h"

static const char *const source =
    "kernel void parent(global int *a) {\n"
    "void (^put)(void) = ^{ a[get_global_id(0)] = 1; };\n"
    "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), put);\n"
    "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), put); }\n";

int main(void)
{
    begin_with(source, NULL);
    device_queue();
    cl_command_queue q = in_order();
    launch(q, kernel("parent", buffer(), NULL, NULL), 1, NULL);
    OK(clFinish(q));
    return 0;
}
