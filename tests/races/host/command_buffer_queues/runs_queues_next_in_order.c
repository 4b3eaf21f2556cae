// expect: unknown
// limit: a command buffer of several queues
// A later command of an in-order queue of the run: the properties of queues keep their meaning for a run [CL 5.17], but the order of
// later commands in the queues of a run is left to the programmer [CL 5.17 R101].
#include "../command_buffers/recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue queues[] = {in_order(), in_order()};
    recording r = record_on(2, queues, 0);
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    add_launch(r, queues[0], kernel("add", buffer(), NULL, NULL), NULL, 0, NULL);
    add_launch(r, queues[1], k, NULL, 0, NULL);
    finalize(r);
    run(r, NULL);
    launch(queues[1], k, N, NULL);
    OK(clFinish(queues[0]));
    OK(clFinish(queues[1]));
    return 0;
}
