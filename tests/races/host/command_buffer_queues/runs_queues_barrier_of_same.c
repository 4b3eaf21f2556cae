// expect: clean
// A barrier orders the commands of its queue, whatever a later one of another queue orders.
#include "../command_buffers/recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue queues[] = {out_of_order(), out_of_order()};
    recording r = record_on(2, queues, 0);
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    add_launch(r, queues[0], k, NULL, 0, NULL);
    add_barrier_to(r, queues[0], 0);
    add_barrier_to(r, queues[1], 0);
    add_launch(r, queues[0], k, NULL, 0, NULL);
    finalize(r);
    run(r, NULL);
    OK(clFinish(queues[0]));
    OK(clFinish(queues[1]));
    return 0;
}
