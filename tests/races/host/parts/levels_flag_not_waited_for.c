// expect: data-race
// at: level:3 write, 24 read, command and work-item
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// fix: wait list of command
// In an out-of-order queue the flag is cleared and read concurrently with the kernel.
#include "../host.h"
static const char *const source = "kernel void level(global int *depth, global int *again, int now) {\n"
                                  "  int i = get_global_id(0);\n"
                                  "  if (i == now) { depth[i] = now; again[0] = 1; } }\n";

int main(void)
{
    begin_with(source, NULL);
    cl_command_queue q = out_of_order();
    cl_mem depth = buffer(), again = buffer();
    int start[N] = {1}, flag = 1;
    cl_kernel k = kernel("level", depth, again, NULL);
    OK(clEnqueueWriteBuffer(q, depth, CL_TRUE, 0, BYTES, start, 0, NULL, NULL));
    for (int now = 1; flag && now < 6; now++) {
        flag = 0;
        OK(clEnqueueWriteBuffer(q, again, CL_TRUE, 0, sizeof flag, &flag, 0, NULL, NULL));
        OK(clSetKernelArg(k, 2, sizeof now, &now));
        launch(q, k, N, NULL);
        OK(clEnqueueReadBuffer(q, again, CL_TRUE, 0, sizeof flag, &flag, 0, NULL, NULL));
    }
    OK(clFinish(q));
    return 0;
}
