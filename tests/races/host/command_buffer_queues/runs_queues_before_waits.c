// expect: clean
// A run that waits for the earlier commands of its queues.
#include "../command_buffers/recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue queues[] = {in_order(), in_order()};
    recording r = record_on(2, queues, 0);
    cl_event done;
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    add_launch(r, queues[1], k, NULL, 0, NULL);
    finalize(r);
    done = launch(queues[1], k, N, NULL);
    run(r, done);
    OK(clFinish(queues[0]));
    OK(clFinish(queues[1]));
    return 0;
}
