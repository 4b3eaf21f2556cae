// expect: unknown
// limit: a command buffer of several queues
// A command that is recorded after a barrier of another queue.
#include "../command_buffers/recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue queues[] = {out_of_order(), out_of_order()};
    recording r = record_on(2, queues, 0);
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    point first = add_launch(r, queues[0], k, NULL, 0, NULL);
    add_barrier_to(r, queues[0], first);
    add_launch(r, queues[1], k, NULL, 0, NULL);
    finalize(r);
    run(r, NULL);
    OK(clFinish(queues[0]));
    OK(clFinish(queues[1]));
    return 0;
}
