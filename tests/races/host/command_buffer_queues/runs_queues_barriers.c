// expect: clean
// Barriers in a queue of the run, before and after it, order the run, whichever of its queues they are in [CL 5.17 R101].
#include "../command_buffers/recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue queues[] = {out_of_order(), out_of_order()};
    recording r = record_on(2, queues, 0);
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    add_launch(r, queues[1], k, NULL, 0, NULL);
    finalize(r);
    for (int i = 0; i < 2; i++) {
        launch(queues[i], k, N, NULL);
        OK(clEnqueueBarrierWithWaitList(queues[i], 0, NULL, NULL));
        run(r, NULL);
        OK(clEnqueueBarrierWithWaitList(queues[i], 0, NULL, NULL));
        launch(queues[i], k, N, NULL);
        OK(clFinish(queues[i]));
    }
    return 0;
}
