// expect: clean
// The second child waits for the event of the first [CL 3.3.6 H2].
#include "../host.h"

static const char *const source =
    "kernel void parent(global int *a) {\n"
    "clk_event_t first;\n"
    "void (^put)(void) = ^{ a[get_global_id(0)] = 1; };\n"
    "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), 0, NULL, &first, put);\n"
    "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), 1, &first, NULL, put);\n"
    "release_event(first); }\n";

int main(void)
{
    begin_with(source, NULL);
    device_queue();
    cl_command_queue q = in_order();
    launch(q, kernel("parent", buffer(), NULL, NULL), 1, NULL);
    OK(clFinish(q));
    return 0;
}
