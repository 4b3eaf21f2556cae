// expect: data-race
// at: fill:2 write, drain:7 read, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// A packet in a pipe does not order its writer's earlier accesses [CL 3.3.2].
#include "../host.h"

static const char *const source =
    "kernel void fill(write_only pipe int p, global int *data) {\n"
    "data[0] = 5;\n"
    "int one = 1;\n"
    "write_pipe(p, &one); }\n"
    "kernel void drain(read_only pipe int p, global int *data, global int *out) {\n"
    "int one = 0;\n"
    "if (read_pipe(p, &one) == 0) out[0] = data[0] + one; }\n";

int main(void)
{
    begin_with(source, NULL);
    cl_int code;
    cl_mem pipe = clCreatePipe(context, 0, 4, 4, NULL, &code), data = buffer();
    OK(code);
    cl_command_queue q = out_of_order();
    cl_event filled = launch(q, kernel("fill", pipe, data, NULL), 1, NULL);
    launch(q, kernel("drain", pipe, data, buffer()), 1, NULL);
    (void)filled;
    OK(clFinish(q));
    return 0;
}
