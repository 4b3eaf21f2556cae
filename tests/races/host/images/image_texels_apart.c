// expect: clean
// Every work-item writes a different texel.
#include "../host.h"

static const char *const source = "kernel void turn(write_only image2d_t image) {\n"
                                  "int i = (int)get_global_id(0);\n"
                                  "write_imagei(image, (int2)(i % 8, i / 8), (int4)(i)); }\n";

int main(void)
{
    begin_with(source, NULL);
    cl_command_queue q = in_order();
    launch_groups(q, kernel("turn", picture(), NULL, NULL), 16, 16);
    OK(clFinish(q));
    return 0;
}
