// expect: data-race
// at: turn:3 write, turn:5 read, same group
// reason: fences global memory only
// A barrier that fences global memory does not fence images [CLC 6.15.8].
#include "../host.h"

static const char *const source = "kernel void turn(read_write image2d_t image) {\n"
                                  "int i = (int)get_local_id(0);\n"
                                  "write_imagei(image, (int2)(i % 8, i / 8), (int4)(i));\n"
                                  "barrier(CLK_GLOBAL_MEM_FENCE);\n"
                                  "int4 v = read_imagei(image, (int2)((i + 1) % 8, i / 8));\n"
                                  "if (v.x < 0) write_imagei(image, (int2)(i % 8, 7 - i / 8), v); }\n";

int main(void)
{
    begin_with(source, NULL);
    cl_command_queue q = in_order();
    launch_groups(q, kernel("turn", picture(), NULL, NULL), 16, 16);
    OK(clFinish(q));
    return 0;
}
