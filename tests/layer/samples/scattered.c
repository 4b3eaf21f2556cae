// expect: possible-race
// title: Results at places that memory says
// Which elements the kernel writes follows from values in memory, which the analysis does not know. With `--check race,possible` what two commands might both use is named, as a hint, which is no fault: the exit code stays 0.
// options: --check race,possible
#include "sample.h"

enum { N = 1 << 10 };

int main(void)
{
    static cl_int places[N], result[N];
    open_device();
    cl_command_queue compute = queue(0), transfer = queue(0);
    cl_kernel scatter = kernel("kernel void scatter(global const int *places, global int *out) {\n"
                               "  size_t i = get_global_id(0);\n"
                               "  out[places[i]] = (int)i; }",
                               "scatter");
    cl_mem where = buffer(sizeof places), out = buffer(sizeof result);
    cl_event done;
    size_t items = N;
    for (int i = 0; i < N; i++)
        places[i] = (i * 7) % N;
    OK(clEnqueueWriteBuffer(compute, where, CL_TRUE, 0, sizeof places, places, 0, NULL, NULL));
    arg(scatter, 0, where);
    arg(scatter, 1, out);
    OK(clEnqueueNDRangeKernel(compute, scatter, 1, NULL, &items, NULL, 0, NULL, &done));
    OK(clFlush(compute));
#ifdef FIXED
    OK(clEnqueueReadBuffer(transfer, out, CL_TRUE, 0, sizeof result, result, 1, &done, NULL));
#else
    OK(clEnqueueReadBuffer(transfer, out, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL));
#endif
    OK(clFinish(compute));
    printf("%d\n", (int)result[7]);
    return 0;
}
