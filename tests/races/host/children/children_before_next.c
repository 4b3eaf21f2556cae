// expect: clean
// A kernel is complete when its children are complete.
#include "../host.h"

static const char *const source =
    "kernel void parent(global int *a, global int *b) {\n"
    "\n"
    "if (get_global_id(0) == 0)\n"
    "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4),\n"
    "^{ b[get_global_id(0)] = a[0]; });\n"
    "}\n"
    "kernel void after(global int *a, global int *b) { a[get_global_id(0)] = b[get_global_id(0)]; }\n";

int main(void)
{
    begin_with(source, NULL);
    device_queue();
    cl_command_queue q = in_order();
    cl_mem a = buffer(), b = buffer();
    launch_groups(q, kernel("parent", a, b, NULL), 4, 4);
    launch_groups(q, kernel("after", a, b, NULL), 4, 4);
    OK(clFinish(q));
    return 0;
}
