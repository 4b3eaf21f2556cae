// expect: clean
// Memory is freed by the callback of the last command that uses it.
#include "../host.h"
#include <semaphore.h>

static sem_t freed; /* clFinish() does not wait for callbacks */

static void CL_CALLBACK free_memory(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)status;
    clSVMFree(context, data);
    sem_post(&freed);
}

int main(void)
{
    begin(NULL);
    sem_init(&freed, 0, 0);
    cl_command_queue q = in_order();
    int *a = shared(0);
    cl_event done = launch(q, svm_kernel("add", a, NULL, NULL), N, NULL);
    OK(clSetEventCallback(done, CL_COMPLETE, free_memory, a));
    OK(clFinish(q));
    sem_wait(&freed);
    return 0;
}
