// expect: clean
// build: host-cc
// The threads, mutexes and conditions of C11.
#include "../host.h"
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static int *memory, ready;

static void set(void)
{
    memory[0] = 7;
}

static int work(void *context)
{
    (void)context;
    call_once(&once, set);
    mtx_lock(&lock);
    memory[1] += memory[0];
    ready++;
    cnd_signal(&changed);
    mtx_unlock(&lock);
    return 0;
}

int main(void)
{
    thrd_t threads[2];
    begin(NULL);
    cl_command_queue q = in_order();
    memory = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    memset(memory, 0, BYTES);
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    for (int i = 0; i < 2; i++)
        thrd_create(&threads[i], work, NULL);
    mtx_lock(&lock);
    while (ready < 2)
        cnd_wait(&changed, &lock);
    memory[1] += 1;
    mtx_unlock(&lock);
    for (int i = 0; i < 2; i++)
        thrd_join(threads[i], NULL);
    launch(q, svm_kernel("add", memory, NULL, NULL), N, NULL);
    OK(clFinish(q));
    return 0;
}
