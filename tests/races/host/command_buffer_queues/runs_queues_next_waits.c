// expect: clean
// A later command that waits for the run's event, which is complete once all of its commands are [CL 5.17 R101].
#include "../command_buffers/recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue queues[] = {in_order(), in_order()};
    recording r = record_on(2, queues, 0);
    cl_kernel k[] = {kernel("add", buffer(), NULL, NULL), kernel("add", buffer(), NULL, NULL)};
    for (int i = 0; i < 2; i++)
        add_launch(r, queues[i], k[i], NULL, 0, NULL);
    finalize(r);
    cl_event done = run(r, NULL);
    launch(queues[1], k[0], N, done);
    launch(queues[1], k[1], N, NULL);
    OK(clFinish(queues[0]));
    OK(clFinish(queues[1]));
    OK(clReleaseEvent(done));
    return 0;
}
