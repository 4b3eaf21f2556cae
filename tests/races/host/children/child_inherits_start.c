// expect: clean
// Commands ordered before the parent are ordered before its child [CL 3.3.6 H9].
#include "../host.h"

static const char *const source =
    "kernel void parent(global int *a, global int *b) {\n"
    "\n"
    "if (get_global_id(0) == 0)\n"
    "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4),\n"
    "^{ b[get_global_id(0)] = a[0]; });\n"
    "}\n";

int main(void)
{
    begin_with(source, NULL);
    device_queue();
    cl_command_queue q = in_order();
    cl_mem a = buffer();
    int one = 1;
    OK(clEnqueueFillBuffer(q, a, &one, sizeof one, 0, BYTES, 0, NULL, NULL));
    launch_groups(q, kernel("parent", a, buffer(), NULL), 4, 4);
    OK(clFinish(q));
    return 0;
}
