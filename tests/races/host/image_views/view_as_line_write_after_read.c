// expect: clean
// Work-items read the buffer, and write through an image that is made from it once they all have: not at the same time.
#include "view_rows.h"

static const char *const source = "kernel void turn(write_only image1d_buffer_t line, global int *all) {\n"
                                  "int i = (int)get_local_id(0);\n"
                                  "int v = all[(i + 1) % 16];\n"
                                  "barrier(CLK_GLOBAL_MEM_FENCE);\n"
                                  "write_imagei(line, i, (int4)(v + 1)); }\n";

int main(void)
{
    return launch_on(source, "turn", line_over, 16);
}
