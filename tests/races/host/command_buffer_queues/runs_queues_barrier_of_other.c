// expect: unknown
// limit: a command buffer of several queues
// A barrier that is recorded to another queue: it waits for the commands of that queue, as its parameter is described, or for all in
// the buffer, as the note below says [CL 5.17 R105].
#include "../command_buffers/recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue queues[] = {out_of_order(), out_of_order()};
    recording r = record_on(2, queues, 0);
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    add_launch(r, queues[0], k, NULL, 0, NULL);
    add_barrier_to(r, queues[1], 0);
    add_launch(r, queues[1], k, NULL, 0, NULL);
    finalize(r);
    run(r, NULL);
    OK(clFinish(queues[0]));
    OK(clFinish(queues[1]));
    return 0;
}
