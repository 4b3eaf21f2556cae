// expect: clean
// Host threads with separate queues and buffers, one program and one context.
#include "../host.h"
#include <pthread.h>
static void *work(void *kernels)
{
    cl_command_queue q = in_order();
    for (int i = 0; i < 3; i++)
        launch(q, kernels, N, NULL);
    OK(clFinish(q));
    return NULL;
}
int main(void)
{
    pthread_t t[2];
    begin(NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, kernel("add", buffer(), NULL, NULL));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
