// Invalid accesses to images, each in a separate kernel: a texel written twice, one past the last row, one of
// another class, one whose accesses a barrier of the wrong memory separates.
#include "../../host/host.h"

static const char *const source =
    "kernel void twice(write_only image2d_t to) { write_imagei(to, (int2)((int)get_global_id(0) / 2, 0), (int4)((int)get_global_id(0))); }\n"
    "kernel void below(write_only image2d_t to) { write_imagei(to, (int2)(0, (int)get_global_id(0)), (int4)(1)); }\n"
    "kernel void beside(read_only image2d_t from, global int *o) {\n"
    "  o[get_global_id(0)] = read_imagei(from, (int2)((int)get_global_id(0) - 1, 0)).x; }\n"
    "kernel void other(read_only image2d_t from, global float *o) {\n"
    "  o[get_global_id(0)] = read_imagef(from, (int2)((int)get_global_id(0), 0)).x; }\n"
    "kernel void behind(write_only image2d_t to) {\n"
    "  int i = (int)get_local_id(0);\n"
    "  write_imagei(to, (int2)(i, 0), (int4)(1)); barrier(CLK_GLOBAL_MEM_FENCE); write_imagei(to, (int2)(7 - i, 0), (int4)(2)); }\n"
    "kernel void own(read_write image2d_t both, global int *o) {\n"
    "  int i = (int)get_global_id(0); int2 at = (int2)(i, 0);\n"
    "  write_imagei(both, at, (int4)(1)); o[i] = read_imagei(both, at).x; }\n";

int main(void)
{
    begin_with(source, NULL);
    cl_command_queue q = in_order();
    launch_groups(q, kernel("twice", picture(), NULL, NULL), 8, 8);
    launch_groups(q, kernel("below", picture(), NULL, NULL), 16, 8);
    launch_groups(q, kernel("beside", picture(), buffer(), NULL), 8, 8);
    launch_groups(q, kernel("other", picture(), buffer(), NULL), 8, 8);
    launch_groups(q, kernel("behind", picture(), NULL, NULL), 8, 8);
    launch_groups(q, kernel("own", picture(), buffer(), NULL), 8, 8);
    OK(clFinish(q));
    return 0;
}
