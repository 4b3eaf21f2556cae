// expect: clean
// A barrier with the image flag orders accesses through an image created from a buffer [CLC 6.15.8].
#include "view_rows.h"

static const char *const source = "kernel void turn(read_write image1d_buffer_t line, global int *all) {\n"
                                  "int i = (int)get_local_id(0);\n"
                                  "write_imagei(line, i, (int4)(i));\n"
                                  "barrier(CLK_IMAGE_MEM_FENCE);\n"
                                  "int v = read_imagei(line, (i + 1) % 16).x;\n"
                                  "if (v < 0) write_imagei(line, i + 16, (int4)(v)); }\n";

int main(void)
{
    return launch_on(source, "turn", line_over, 16);
}
