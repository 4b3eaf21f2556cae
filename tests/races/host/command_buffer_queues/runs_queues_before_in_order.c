// expect: unknown
// limit: a command buffer of several queues
// An earlier command of an in-order queue of the run: as of a later one, the text says both.
#include "../command_buffers/recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue queues[] = {in_order(), in_order()};
    recording r = record_on(2, queues, 0);
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    add_launch(r, queues[1], k, NULL, 0, NULL);
    finalize(r);
    launch(queues[1], k, N, NULL);
    run(r, NULL);
    OK(clFinish(queues[0]));
    OK(clFinish(queues[1]));
    return 0;
}
