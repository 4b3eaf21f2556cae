// expect: clean
// Each iteration of a reduction waits for the one before it.
#include "../host.h"
static const char *const source =
    "kernel void fold(global int *a) { uint i = get_global_id(0); a[i] += a[i + get_global_size(0)]; }\n";
int main(void)
{
    begin_with(source, NULL);
    cl_command_queue q = out_of_order();
    cl_kernel k = kernel("fold", buffer(), NULL, NULL);
    cl_event last = NULL;
    for (size_t items = N / 2; items; items /= 2)
        last = launch(q, k, items, last);
    OK(clWaitForEvents(1, &last));
    return 0;
}
