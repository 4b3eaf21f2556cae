// expect: data-race
// at: __parent_block_invoke_kernel:5 write, after:7 read, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// An out-of-order queue orders neither a kernel nor its children.
#include "../host.h"

static const char *const source =
    "kernel void parent(global int *a, global int *b) {\n"
    "\n"
    "if (get_global_id(0) == 0)\n"
    "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4),\n"
    "^{ b[get_global_id(0)] = a[0]; });\n"
    "}\n"
    "kernel void after(global int *a, global int *b) { b[4 + get_global_id(0)] = b[get_global_id(0)]; }\n";

int main(void)
{
    begin_with(source, NULL);
    device_queue();
    cl_command_queue q = out_of_order();
    cl_mem a = buffer(), b = buffer();
    launch_groups(q, kernel("parent", a, b, NULL), 4, 4);
    launch_groups(q, kernel("after", a, b, NULL), 4, 4);
    OK(clFinish(q));
    return 0;
}
