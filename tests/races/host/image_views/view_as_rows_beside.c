// expect: clean
// A work-group writes rows through an image created from a part of a buffer, and the buffer between these
// rows.
#include "view_rows.h"

static const char *const source = "kernel void rows(write_only image2d_t some, global int *all) {\n"
                                  "int x = (int)get_local_id(0) % 4, y = (int)get_local_id(0) / 4;\n"
                                  "write_imagei(some, (int2)(x, y), (int4)(x));\n"
                                  "all[32 + 8 * y + 4 + x] = y; }\n";

int main(void)
{
    return launch_on(source, "rows", rows_over, 8);
}
