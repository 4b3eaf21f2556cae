// expect: data-race
// at: fill:1 write, turn:4 read, different kernels; fill:1 write, turn:4 write, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// A launch writes a buffer, and an unordered launch changes it through an image created from it.
#include "view_rows.h"

static const char *const source =
    "kernel void fill(global int *all) { all[get_global_id(0)] = (int)get_global_id(0); }\n"
    "kernel void turn(read_write image1d_buffer_t line) {\n"
    "int i = (int)get_global_id(0);\n"
    "write_imagei(line, i, read_imagei(line, i) + 1); }\n";

int main(void)
{
    begin_with(source, NULL);
    cl_command_queue q = out_of_order();
    cl_mem a = buffer();
    launch(q, kernel("fill", a, NULL, NULL), N, NULL);
    launch(q, kernel("turn", line_over(a), NULL, NULL), N, NULL);
    OK(clFinish(q));
    return 0;
}
