// expect: clean
// A buffer of two queues that runs on one in-order queue alone.
#include "../command_buffers/recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue queues[] = {in_order(), in_order()}, same[] = {queues[0], queues[0]};
    recording r = record_on(2, queues, 0);
    cl_kernel k = kernel("add", buffer(), NULL, NULL);
    add_launch(r, queues[1], k, NULL, 0, NULL);
    finalize(r);
    launch(queues[0], k, N, NULL);
    run_on(r, 2, same, NULL);
    launch(queues[0], k, N, NULL);
    OK(clFinish(queues[0]));
    return 0;
}
