// expect: data-race
// at: turn:3 write, turn:5 read, same group
// reason: no synchronization within the launch orders that
// No barrier orders accesses to a buffer with those through an image created from it [CL 5.3.1].
#include "view_rows.h"

static const char *const source = "kernel void turn(read_write image1d_buffer_t line, global int *all) {\n"
                                  "int i = (int)get_local_id(0);\n"
                                  "write_imagei(line, i, (int4)(i));\n"
                                  "barrier(CLK_IMAGE_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
                                  "int v = all[(i + 1) % 16];\n"
                                  "if (v < 0) all[i + 16] = v; }\n";

int main(void)
{
    return launch_on(source, "turn", line_over, 16);
}
