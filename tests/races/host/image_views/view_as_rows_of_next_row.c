// expect: data-race
// at: rows:3 write, rows:4 write, same group
// A work-group writes rows through an image created from a part of a buffer, and the next row of the buffer.
#include "view_rows.h"

static const char *const source = "kernel void rows(write_only image2d_t some, global int *all) {\n"
                                  "int x = (int)get_local_id(0) % 4, y = (int)get_local_id(0) / 4;\n"
                                  "write_imagei(some, (int2)(x, y), (int4)(x));\n"
                                  "all[32 + 8 * y + 8 + x] = y + 5; }\n";

int main(void)
{
    return launch_on(source, "rows", rows_over, 8);
}
