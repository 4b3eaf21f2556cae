// expect: data-race
// at: add:1 read, add:1 write, different kernels
// reason: no sync-point, in-order queue or barrier
// fix: put the sync-point of command
// Commands that are recorded to two queues may execute concurrently [CL 5.17].
#include "recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue queues[] = {in_order(), in_order()};
    recording r = record_on(2, queues, 0);
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    add_launch(r, queues[0], k, NULL, 0, NULL);
    add_launch(r, queues[1], k, NULL, 0, NULL);
    finalize(r);
    run(r, NULL);
    OK(clFinish(queues[0]));
    OK(clFinish(queues[1]));
    return 0;
}
