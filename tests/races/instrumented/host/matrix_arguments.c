// Each work-item writes a column of one matrix, and the first one of each work-group an element of another, in
// separate buffers; with an argument, both matrices are the same buffer, or in sub-buffers that overlap by one
// element or not at all, or another queue executes the kernel again before the host has waited.
#include "../../host/host.h"

enum { WIDTH = 16, ALIGNMENT = 128 };
static const char *const source = "kernel void k(global int *o, global int *p, int width) {\n"
                                  "  int x = get_global_id(0);\n"
                                  "  for (int i = 0; i < 2; i++) o[i * width + x] = x;\n"
                                  "  if (get_local_id(0) == 1) p[get_group_id(0)] = x; }\n";

static void run(cl_command_queue q, cl_mem o, cl_mem p)
{
    const cl_int width = WIDTH;
    cl_kernel k = kernel("k", o, p, NULL);
    OK(clSetKernelArg(k, 2, sizeof width, &width));
    last_launched = launch_groups(q, k, WIDTH, 4);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    begin_with(source, NULL);
    cl_command_queue q = in_order(), r = q;
    cl_mem o = buffer(), p = buffer();
    if (strcmp(how, "same") == 0)
        p = o;
    if (strcmp(how, "overlapping") == 0)
        p = part(o, 0, ALIGNMENT);
    if (strcmp(how, "apart") == 0) {
        p = part(o, ALIGNMENT, ALIGNMENT);
        o = part(o, 0, ALIGNMENT);
    }
    run(q, o, p);
    if (strcmp(how, "queue") == 0) {
        look_until_done(q);
        r = in_order();
    }
    run(r, o, p);
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}
