// expect: clean
// Work-items read the buffer; after all have read, they write through an image created from it.
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
