// expect: clean
// Launches in one in-order queue: the first writes the buffer, the second changes it through an image created
// from it, the third reads the buffer.
#include "view_rows.h"

static const char *const source =
    "kernel void fill(global int *all) { all[get_global_id(0)] = (int)get_global_id(0); }\n"
    "kernel void turn(read_write image1d_buffer_t line) {\n"
    "int i = (int)get_global_id(0);\n"
    "write_imagei(line, i, read_imagei(line, i) + 1); }\n"
    "kernel void sum(global int *all, global int *to) {\n"
    "int s = 0;\n"
    "for (int i = 0; i < 64; i++) s += all[i];\n"
    "*to = s; }\n";

int main(void)
{
    begin_with(source, NULL);
    cl_command_queue q = in_order();
    cl_mem a = buffer(), b = buffer();
    int total = 0;
    launch(q, kernel("fill", a, NULL, NULL), N, NULL);
    launch(q, kernel("turn", line_over(a), NULL, NULL), N, NULL);
    launch(q, kernel("sum", a, b, NULL), 1, NULL);
    OK(clEnqueueReadBuffer(q, b, CL_TRUE, 0, 4, &total, 0, NULL, NULL));
    return total != N * (N + 1) / 2;
}
