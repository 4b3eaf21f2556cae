// expect: unknown
// limit: a command buffer of several queues
// No queue of a run is special: what holds for the others [CL 5.17 R101] holds for the first one.
#include "../command_buffers/recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue queues[] = {in_order(), in_order()};
    recording r = record_on(2, queues, 0);
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    add_launch(r, queues[1], k, NULL, 0, NULL);
    finalize(r);
    run(r, NULL);
    launch(queues[0], k, N, NULL);
    OK(clFinish(queues[0]));
    OK(clFinish(queues[1]));
    return 0;
}
