// expect: clean
// A run is a command of each of its queues: clFinish for one of them waits for it.
#include "../command_buffers/recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue queues[] = {in_order(), in_order()}, other = in_order();
    recording r = record_on(2, queues, 0);
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    add_launch(r, queues[0], k, NULL, 0, NULL);
    finalize(r);
    for (int i = 0; i < 2; i++) {
        run(r, NULL);
        launch(queues[1], kernel("add", buffer(), NULL, NULL), N, NULL);
        OK(clFinish(queues[1]));
        launch(other, k, N, NULL);
        OK(clFinish(other));
    }
    return 0;
}
