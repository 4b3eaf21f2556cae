// expect: data-race
// at: fold:1 read, fold:1 write, different kernels
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// fix: wait list of command
// All iterations wait for the first one: its event is never replaced.
#include "../host.h"
static const char *const source =
    "kernel void fold(global int *a) { uint i = get_global_id(0); a[i] += a[i + get_global_size(0)]; }\n";
int main(void)
{
    begin_with(source, NULL);
    cl_command_queue q = out_of_order();
    cl_kernel k = kernel("fold", buffer(), NULL, NULL);
    cl_event first = launch(q, k, N / 2, NULL);
    for (size_t items = N / 4; items; items /= 2)
        launch(q, k, items, first);
    OK(clFinish(q));
    return 0;
}
