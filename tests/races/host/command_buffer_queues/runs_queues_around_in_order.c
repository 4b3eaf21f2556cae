// expect: clean
// The commands of an in-order queue before and after a run are ordered, whatever orders the run.
#include "../command_buffers/recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue queues[] = {in_order(), in_order()}, last = in_order();
    cl_event done[2];
    recording r = record_on(2, queues, 0);
    cl_kernel k[] = {kernel("add", buffer(), NULL, NULL), kernel("add", buffer(), NULL, NULL)};
    add_launch(r, queues[1], kernel("add", buffer(), NULL, NULL), NULL, 0, NULL);
    finalize(r);
    for (int i = 0; i < 2; i++)
        launch(queues[i], k[i], N, NULL);
    run(r, NULL);
    for (int i = 0; i < 2; i++)
        done[i] = launch(queues[i], k[i], N, NULL);
    for (int i = 0; i < 2; i++)
        launch(last, k[i], N, done[i]);
    OK(clFinish(last));
    return 0;
}
