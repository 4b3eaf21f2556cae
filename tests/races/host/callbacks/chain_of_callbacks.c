// expect: clean
// Each command is enqueued by the callback of the one before it, alternately on two queues.
#include "../host.h"
#include <semaphore.h>

static cl_command_queue queues[2];
static cl_kernel step;
static sem_t done;
static int steps;

static void CL_CALLBACK next(cl_event event, cl_int status, void *context_of_step)
{
    (void)event, (void)status, (void)context_of_step;
    if (++steps == 5) {
        sem_post(&done);
        return;
    }
    cl_event e = launch(queues[steps & 1], step, N, NULL);
    OK(clSetEventCallback(e, CL_COMPLETE, next, NULL));
    OK(clFlush(queues[steps & 1]));
}

int main(void)
{
    begin(NULL);
    sem_init(&done, 0, 0);
    queues[0] = in_order();
    queues[1] = in_order();
    step = kernel("add", buffer(), NULL, NULL);
    cl_event e = launch(queues[0], step, N, NULL);
    OK(clSetEventCallback(e, CL_COMPLETE, next, NULL));
    OK(clFlush(queues[0]));
    sem_wait(&done);
    return 0;
}
