// expect: data-race
// at: turn:3 read, turn:4 write, same group
// Work-items read the buffer and write through an image created from it while others may read.
#include "view_rows.h"

static const char *const source = "kernel void turn(write_only image1d_buffer_t line, global int *all) {\n"
                                  "int i = (int)get_local_id(0);\n"
                                  "int v = all[(i + 1) % 16];\n"
                                  "write_imagei(line, i, (int4)(v + 1)); }\n";

int main(void)
{
    return launch_on(source, "turn", line_over, 16);
}
