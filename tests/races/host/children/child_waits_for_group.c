// expect: clean
// A child that waits for the work-group of its enqueuer sees what that group wrote [CL 3.3.6 H14].
#include "../host.h"

static const char *const source =
    "kernel void parent(global int *a, global int *b) {\n"
    "int i = (int)get_global_id(0);\n"
    "int g = 4 * (int)get_group_id(0);\n"
    "if (get_local_id(0) == 0)\n"
    "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(4),\n"
    "^{ int k = (int)get_global_id(0); b[g + k] = a[g + k]; });\n"
    "a[i] = i; }\n";

int main(void)
{
    begin_with(source, NULL);
    device_queue();
    cl_command_queue q = in_order();
    launch_groups(q, kernel("parent", buffer(), buffer(), NULL), 8, 4);
    OK(clFinish(q));
    return 0;
}
