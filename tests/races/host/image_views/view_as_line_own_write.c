// expect: buffer-and-image
// at: own:5
// A work-item reads from the buffer what it wrote through an image: no fence makes that visible [CL 5.3.1].
#include "view_rows.h"

static const char *const source =
    "kernel void own(write_only image1d_buffer_t line, global int *all) {\n"
    "int i = (int)get_local_id(0);\n"
    "write_imagei(line, i, (int4)(i));\n"
    "atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);\n"
    "int v = all[i];\n"
    "if (v < 0) all[i + 16] = v; }\n";

int main(void)
{
    return launch_on(source, "own", line_over, 16);
}
