// expect: clean
// A sync-point orders commands that are recorded to two queues.
#include "recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue queues[] = {in_order(), in_order()};
    recording r = record_on(2, queues, 0);
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    point first = add_launch(r, queues[0], k, NULL, 0, NULL);
    add_launch(r, queues[1], k, NULL, 1, &first);
    finalize(r);
    run(r, NULL);
    OK(clFinish(queues[0]));
    OK(clFinish(queues[1]));
    return 0;
}
