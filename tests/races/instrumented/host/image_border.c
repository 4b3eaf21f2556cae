// A coordinate outside of the image, with an address mode that returns the border color, whose alpha is 1 in
// this format: no access is invalid.  Work-items with another alpha write, and all texels remain zero.
#include "../../host/host.h"

static const char *const source =
    "constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
    "kernel void border(read_only image2d_t from, write_only image2d_t to) {\n"
    "  int i = (int)get_global_id(0);\n"
    "  if (read_imagei(from, edge, (int2)(-1, i)).w != 1) write_imagei(to, (int2)(i % 8, i / 8), (int4)(7)); }\n";

int main(void)
{
    int texels[N] = {0};
    const size_t origin[3] = {0, 0, 0}, region[3] = {8, 8, 1};
    begin_with(source, NULL);
    cl_command_queue q = in_order();
    cl_mem to = picture();
    OK(clEnqueueFillImage(q, to, texels, origin, region, 0, NULL, NULL));
    launch_groups(q, kernel("border", picture(), to, NULL), N, 16);
    OK(clEnqueueReadImage(q, to, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL));
    for (int k = 0; k < N; k++)
        if (texels[k] != 0)
            return 1;
    return 0;
}
