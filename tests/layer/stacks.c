/* Two functions with similar frames enqueue commands at one line, alternately, in threads that end, too.
 * Finally two of their commands race: --backtrace has to name each of them. */
#define CL_TARGET_OPENCL_VERSION 120
#include "samples/sample.h"

#include <pthread.h>

enum { ROUNDS = 100, BYTES = 64 };

static __attribute__((noinline)) void enqueue(cl_command_queue on, cl_mem to)
{
    const cl_int zero = 0;
    OK(clEnqueueFillBuffer(on, to, &zero, sizeof zero, 0, BYTES, 0, NULL, NULL));
}

static __attribute__((noinline)) int fill_first(cl_command_queue on, cl_mem to)
{
    enqueue(on, to);
    return 1;
}

static __attribute__((noinline)) int fill_second(cl_command_queue on, cl_mem to)
{
    enqueue(on, to);
    return 2;
}

/* On a stack whose size changes with each call. */
static __attribute__((noinline)) int fill_deeper(int i, cl_command_queue on, cl_mem to)
{
    volatile char room[64 * (i % 3) + 1];
    room[0] = (char)fill_first(on, to);
    return room[0];
}

static cl_command_queue queues[2];
static cl_mem apart[2];

static void *fill_in_turn(void *ignored)
{
    (void)ignored;
    for (int i = 0; i < ROUNDS; i++)
        OK(fill_first(queues[0], apart[0]) + fill_second(queues[1], apart[1]) +
               fill_deeper(i, queues[0], apart[0]) !=
           4);
    return NULL;
}

int main(void)
{
    open_device();
    for (int i = 0; i < 2; i++) {
        queues[i] = queue(0);
        apart[i] = buffer(BYTES);
    }
    cl_mem shared = buffer(BYTES);
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        fill_in_turn(NULL);
        OK(pthread_create(&thread, NULL, fill_in_turn, NULL));
        OK(pthread_join(thread, NULL));
    }
    int filled = fill_first(queues[0], shared);
    filled += fill_second(queues[1], shared);
    OK(clFinish(queues[0]));
    OK(clFinish(queues[1]));
    return filled != 3;
}
