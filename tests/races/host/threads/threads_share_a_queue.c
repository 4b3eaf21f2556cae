// expect: clean
// Host threads share an in-order queue: their commands are ordered, whichever comes first.
#include "../host.h"
#include <pthread.h>
static cl_command_queue q;
static void *work(void *k)
{
    for (int i = 0; i < 3; i++)
        launch(q, k, N, NULL);
    OK(clFinish(q));
    return NULL;
}
int main(void)
{
    pthread_t t[2];
    begin(NULL);
    q = in_order();
    cl_mem a = buffer();
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, kernel("add", a, NULL, NULL));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
