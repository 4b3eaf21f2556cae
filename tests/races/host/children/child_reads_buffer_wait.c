// expect: clean
// A child that waits for its parent is ordered after its writes to a buffer [CL 3.3.6 H13].
#include "../host.h"

static const char *const source =
    "kernel void parent(global int *a, global int *b) {\n"
    "if (get_global_id(0) == 0) a[0] = 1;\n"
    "if (get_global_id(0) == 0)\n"
    "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4),\n"
    "^{ b[get_global_id(0)] = a[0]; });\n"
    "}\n";

int main(void)
{
    begin_with(source, NULL);
    device_queue();
    cl_command_queue q = in_order();
    launch_groups(q, kernel("parent", buffer(), buffer(), NULL), 4, 4);
    OK(clFinish(q));
    return 0;
}
