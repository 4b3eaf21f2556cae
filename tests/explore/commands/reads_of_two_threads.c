// run: clean
// explore: unknown
// limit: memory of the host
// build: host-cc
// Two reads into one array: the runtime does not record host memory that commands of several instrumented
// threads use.
#include "../../races/host/host.h"
#include <pthread.h>

static cl_command_queue q;
static cl_mem b;
static int out[2 * N];
static void *work(void *unused)
{
    (void)unused;
    OK(clEnqueueReadBuffer(q, b, CL_FALSE, 0, BYTES, out + N / 2, 0, NULL, NULL));
    return NULL;
}
int main(void)
{
    pthread_t t;
    begin(NULL);
    q = out_of_order();
    cl_mem a = buffer();
    b = buffer();
    pthread_create(&t, NULL, work, NULL);
    OK(clEnqueueReadBuffer(q, a, CL_FALSE, 0, BYTES, out, 0, NULL, NULL));
    pthread_join(t, NULL);
    OK(clFinish(q));
    return 0;
}
